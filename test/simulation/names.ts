import { type OnceAttribute, onceAttributeOf } from '../../lib/arrive/once-attribute.ts';
import type { SqsRecord } from '../../lib/arrive/record.ts';
import { rowKey, unkeyedRowKey } from '../../lib/arrive/row-key.ts';
import type { Body } from './world/service.ts';

/** Where the work of a message is recorded: under its key, or, without a usable one, under its id. */
export interface Names {
  readonly keyed: string | undefined;
  readonly unkeyed: string;
}

export function namesOf(scope: string, record: SqsRecord, key: ((body: Body) => string) | undefined): Names {
  const once = onceAttributeOf(record);
  const originalId = once?.messageId ?? record.messageId;
  const name = keyOf(scope, record, once, key) ?? undefined;
  return {
    keyed: name === undefined ? undefined : rowKey(scope, name),
    unkeyed: unkeyedRowKey(scope, originalId),
  };
}

function keyOf(
  scope: string,
  record: SqsRecord,
  once: OnceAttribute | undefined,
  key: ((body: Body) => string) | undefined,
): string | undefined {
  if (once?.key !== undefined && once.scope === scope) return once.key;
  const body = bodyOf(record.body);
  if (body === undefined) return undefined;
  return key === undefined ? (once?.followUp ?? once?.messageId ?? record.messageId) : key(body);
}

/** What a message says; nothing when it cannot be read. */
export function bodyOf(text: string): Body | undefined {
  return text.startsWith('{') ? (JSON.parse(text) as Body) : undefined;
}
