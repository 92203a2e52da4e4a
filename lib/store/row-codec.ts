import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { ClaimRow, ClaimStatus } from '../words.ts';
import type { Attributes } from './table.ts';

const statuses: ReadonlySet<string> = new Set(['leased', 'released', 'completed', 'rejected', 'parked']);

/** The attributes of a row, as DynamoDB takes them. Absent stays absent. */
export function rowToItem(row: ClaimRow): Attributes {
  const item: Attributes = {};
  for (const name of Object.keys(row) as (keyof ClaimRow)[]) {
    if (row[name] !== undefined) item[name] = toAttribute(row[name]);
  }
  return item;
}

/** A plain value as DynamoDB takes it. */
export function toAttribute(value: unknown): AttributeValue {
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (Array.isArray(value)) return { L: value.map(toAttribute) };
  return { S: String(value) };
}

/**
 * The row that stands in the table. Some clients hand a refused condition's item back raw, some
 * unmarshalled, so both are read. Nothing in it is trusted: a row without a readable status or lease is held
 * until it expires, and a lease counts only beside the status it belongs to.
 */
export function itemToRow(item: Readonly<Record<string, unknown>>): ClaimRow {
  const values = Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, fromAttribute(value)]),
  );
  const text = (name: string) => asText(values[name]);
  const number = (name: string) => asNumber(values[name]);
  const status = text('status');
  return {
    claim: text('claim') ?? '',
    status: status !== undefined && statuses.has(status) ? (status as ClaimStatus) : 'leased',
    fence: number('fence') ?? 0,
    owner: text('owner') ?? '',
    attempts: number('attempts') ?? 0,
    expiresAt: number('expiresAt') ?? Number.POSITIVE_INFINITY,
    firstClaimedAt: number('firstClaimedAt') ?? number('claimedAt') ?? 0,
    claimedAt: number('claimedAt') ?? 0,
    version: number('version') ?? 0,
    ...optional('leaseEndsAt', status === 'leased' ? number('leaseEndsAt') : undefined),
    ...optional('fingerprint', text('fingerprint')),
    ...optional('settledAt', number('settledAt')),
    ...optional('messageId', text('messageId')),
    ...optional('lastError', text('lastError')),
    ...optional('reason', text('reason')),
    ...optional('result', text('result')),
    ...optional('followUps', asTexts(values.followUps)),
    ...optional('followUpsSent', number('followUpsSent')),
    ...optional('parkId', text('parkId')),
    ...optional('parkSent', typeof values.parkSent === 'boolean' ? values.parkSent : undefined),
    ...optional('redrive', text('redrive')),
    ...optional('effects', number('effects')),
  };
}

function optional<Name extends string, Value>(name: Name, value: Value | undefined): { [N in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [N in Name]?: Value });
}

function fromAttribute(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('S' in value) return value.S;
  if ('N' in value) return typeof value.N === 'string' && value.N !== '' ? Number(value.N) : undefined;
  if ('BOOL' in value) return value.BOOL;
  if ('L' in value && Array.isArray(value.L)) return value.L.map(fromAttribute);
  return value;
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function asTexts(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.length > 0
    ? value.filter((text) => typeof text === 'string')
    : undefined;
}
