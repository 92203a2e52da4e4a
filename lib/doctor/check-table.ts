import { durationInWords, redeliveryWindow } from '../window.ts';
import { type Facts, seen, type TableFacts } from './facts.ts';
import { error, type Finding, warning } from './finding.ts';

/** The claim table, and how long claims are kept. */
export function checkTable(facts: Facts): Finding[] {
  return [...checkName(facts), ...checkShape(facts), ...checkRetention(facts)];
}

function checkName(facts: Facts): Finding[] {
  if (facts.table.status === 'missing') {
    return [
      error('table-missing', {
        what: 'the claim table does not exist, or SQS_ONCE_TABLE names none',
        why: 'without a claim nothing runs: every invocation fails',
        fix: 'create it (partition key claim, a string; TTL on expiresAt) and name it in SQS_ONCE_TABLE',
      }),
    ];
  }
  const table = seen(facts.table);
  const named = seen(facts.function)?.environment.SQS_ONCE_TABLE;
  const names = table === undefined ? [] : [table.name, table.arn];
  if (table === undefined || named === undefined || names.includes(named)) return [];
  return [
    error('table-is-another', {
      what: `the function's SQS_ONCE_TABLE is ${named}, not ${table.name}`,
      why: 'this check-up looks at a table the function does not use',
      fix: 'leave --table out, or set SQS_ONCE_TABLE',
    }),
  ];
}

function checkShape(facts: Facts): Finding[] {
  const table = seen(facts.table);
  if (table === undefined) return [];
  return [...checkKey(table), ...checkTtl(table), ...checkSafety(table)];
}

function checkKey({ keys }: TableFacts): Finding[] {
  const [key] = keys;
  if (keys.length === 1 && key?.name === 'claim' && key.kind === 'HASH' && key.type === 'S') return [];
  const found = keys.map(({ name, kind, type }) => `${name} (${kind}, ${type})`).join(' and ');
  return [
    error('table-key', {
      what: `the claim table's key is ${found}`,
      why: 'claims cannot be written: every invocation fails',
      fix: 'a table whose only key is the partition key claim, a string; keys cannot be changed afterwards',
    }),
  ];
}

function checkTtl(table: TableFacts): Finding[] {
  const ttl = seen(table.ttl);
  if (ttl === undefined || (ttl.enabled && ttl.attribute === 'expiresAt')) return [];
  if (ttl.enabled) {
    return [
      error('ttl-attribute', {
        what: `TTL is on for the attribute ${ttl.attribute}`,
        why: 'claims carry expiresAt, in epoch seconds; the table grows for ever',
        fix: 'switch TTL off and on again, for expiresAt',
      }),
    ];
  }
  return [
    warning('ttl-off', {
      what: 'TTL is off',
      why: 'nothing goes wrong, but the table grows for ever',
      fix: 'aws dynamodb update-time-to-live for the attribute expiresAt',
    }),
  ];
}

function checkSafety({ replicas, restorable, deletionProtection }: TableFacts): Finding[] {
  const findings: Finding[] = [];
  if (replicas > 0) {
    findings.push(
      error('table-replicated', {
        what: `the claim table has replicas in ${replicas} other Regions`,
        why: 'conditions are decided in one Region only: two Regions would each win the same claim',
        fix: 'a table of one Region for claims',
      }),
    );
  }
  if (seen(restorable) === false) {
    findings.push(
      warning('not-restorable', {
        what: 'point-in-time recovery is off',
        why: 'with the table goes the knowledge of what was done: every message still queued runs again',
        fix: 'aws dynamodb update-continuous-backups',
      }),
    );
  }
  if (!deletionProtection) {
    findings.push(
      warning('not-protected', {
        what: 'deletion protection is off',
        why: 'with the table goes the knowledge of what was done: every message still queued runs again',
        fix: 'aws dynamodb update-table --deletion-protection-enabled',
      }),
    );
  }
  return findings;
}

function checkRetention(facts: Facts): Finding[] {
  const queue = seen(facts.queue);
  const dead = seen(facts.deadLetterQueue);
  const kept = seen(facts.function)?.environment.SQS_ONCE_RETENTION_SECONDS;
  // Unsaid, the default covers the longest path SQS allows.
  if (queue === undefined || dead === undefined || kept === undefined) return [];
  const window = redeliveryWindow({
    retentionSeconds: queue.retentionSeconds,
    deadLetterRetentionSeconds: dead.retentionSeconds,
    fifo: queue.fifo,
    redrives: 1,
    delaySeconds: queue.delaySeconds,
    visibilityTimeoutSeconds: queue.visibilityTimeoutSeconds,
  });
  if (Number(kept) >= window.seconds) return [];
  return [
    error('retention-too-short', {
      what: `claims are kept for ${durationInWords(Number(kept))}`,
      why: `SQS can deliver a message again for ${durationInWords(window.seconds)}, and a forgotten claim lets it run twice: ${window.explanation}`,
      fix: `set SQS_ONCE_RETENTION_SECONDS to at least ${window.seconds}, or leave it out`,
    }),
  ];
}
