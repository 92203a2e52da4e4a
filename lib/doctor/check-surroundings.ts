import { type Facts, type Seen, seen } from './facts.ts';
import { error, type Finding, type Words, warning } from './finding.ts';

/** The function itself, what its role may do, and who is told when something goes wrong. */
export function checkSurroundings(facts: Facts): Finding[] {
  return [...checkFunction(facts), ...checkRights(facts), ...checkAlarms(facts), ...checkUnseen(facts)];
}

function checkFunction(facts: Facts): Finding[] {
  if (facts.function.status === 'missing') {
    return [
      error('function-missing', {
        what: 'the function does not exist',
        why: 'nobody handles messages',
        fix: 'check its name, the Region and the account',
      }),
    ];
  }
  const runtime = seen(facts.function)?.runtime;
  const version = Number(/^nodejs(\d+)\.x$/.exec(runtime ?? '')?.[1] ?? Number.NaN);
  if (!(version < 22)) return [];
  return [
    error('runtime-too-old', {
      what: `the function's runtime is ${runtime}`,
      why: 'sqs-once needs Node 22 or newer, and AWS no longer updates this one',
      fix: 'nodejs24.x',
    }),
  ];
}

function checkRights(facts: Facts): Finding[] {
  const refused = seen(facts.rights)?.filter(({ allowed }) => !allowed) ?? [];
  return refused.map(({ action, resource }) =>
    error('right-missing', {
      what: `the function's role may not ${action} on ${resource.split(/[:/]/).at(-1)}`,
      why: rightIsFor[action] ?? 'the function needs it',
      fix: `allow ${action} on ${resource}; a boundary or an organisation's policy may refuse it too`,
    }),
  );
}

const rightIsFor: Readonly<Record<string, string>> = {
  'sqs:ReceiveMessage': 'Lambda reads the queue with this role',
  'sqs:DeleteMessage': 'Lambda acknowledges with this role',
  'sqs:GetQueueAttributes': 'Lambda asks for it, and the last delivery is recognised by it',
  'sqs:ChangeMessageVisibility': 'without it every failed message waits for the whole visibility timeout',
  'sqs:SendMessage':
    'without it nothing can be parked: poison comes back until SQS moves it, without a reason',
  'dynamodb:PutItem': 'a claim is a PutItem: without it every invocation fails',
  'dynamodb:UpdateItem': 'an outcome is an UpdateItem: without it work is done and cannot be recorded',
  'dynamodb:GetItem': 'without it an unclear answer of the table cannot be looked up',
  'dynamodb:ConditionCheckItem': 'a transaction of an attempt may need it',
};

function checkAlarms(facts: Facts): Finding[] {
  const alarms = seen(facts.alarms);
  if (alarms === undefined) return [];
  const rings: Words = {
    what: 'no alarm watches ApproximateNumberOfMessagesVisible of the dead-letter queue',
    why: 'a parked message waits for a person who is not told, and expires',
    fix: 'an alarm at 1, Maximum, one period, missing data not breaching',
  };
  if (alarms.length === 0) return [warning('alarm-missing', rings)];
  if (alarms.some(({ notifies }) => notifies)) return [];
  const names = alarms.map(({ name }) => name).join(', ');
  return [
    warning('alarm-tells-nobody', {
      what: `the alarm on the dead-letter queue (${names}) has no action, or its actions are off`,
      why: rings.why,
      fix: 'give it an SNS topic somebody reads',
    }),
  ];
}

/** What could not be checked is said, so that silence means health. */
function checkUnseen(facts: Facts): Finding[] {
  const fn = seen(facts.function);
  const table = seen(facts.table);
  const parts: readonly (readonly [part: string, name: string, look: Seen<unknown> | undefined])[] = [
    ['mapping', 'the event source mapping', facts.mapping],
    ['queue', 'the queue', facts.queue],
    ['deadLetterQueue', 'the dead-letter queue', facts.deadLetterQueue],
    ['function', 'the function', facts.function],
    ['concurrency', "the function's reserved concurrency", fn?.reservedConcurrency],
    ['table', 'the claim table', facts.table],
    ['ttl', "the claim table's TTL", table?.ttl],
    ['backups', "the claim table's backups", table?.restorable],
    ['alarms', 'the alarms', facts.alarms],
    ['rights', "the role's rights", facts.rights],
  ];
  return parts.flatMap(([part, name, look]): Finding[] => {
    if (look?.status !== 'unseen') return [];
    const words = {
      what: `could not be checked: ${name}: ${look.why}`,
      why: 'it may be well, or not: nobody has seen it',
      fix: 'see that it is there and that you may read it',
    };
    return [{ id: `unseen-${part}`, level: 'unseen', ...words }];
  });
}
