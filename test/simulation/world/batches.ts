import { isNamed } from '../../../lib/errors.ts';
import type { SendBatch, StatementError } from '../../../lib/store/batching/batcher.ts';
import type { BatchStatement } from '../../../lib/store/batching/statements.ts';
import { callOver } from './network.ts';
import { readStatement, type SingleWrite } from './partiql.ts';
import type { Process } from './process.ts';
import { awsError } from './tables.ts';
import type { World } from './world.ts';

const patienceMillis = 6_000;
const mostStatements = 25;
const never = new AbortController().signal;

/**
 * `BatchExecuteStatement`: a call may be lost as a whole, before it landed or after, and each of its statements may
 * be throttled, meet a transaction or be refused while the others land.
 */
export function batchesOf(world: World, process: Process): SendBatch {
  return (statements, signal) =>
    callOver(world, process, {
      name: `batch of ${statements.length}`,
      land: () => landAll(world, process, statements),
      signal,
      patienceMillis,
      refusals: { throttled: () => awsError('ThrottlingException') },
    });
}

async function landAll(
  world: World,
  process: Process,
  statements: readonly BatchStatement[],
): Promise<readonly (StatementError | undefined)[]> {
  const singles = statements.map((statement) => read(world, statement));
  const rowKeys = new Set(singles.map(rowKeyOf));
  // DynamoDB takes no item twice in a call, and does nothing of such a call.
  if (rowKeys.size < statements.length || statements.length > mostStatements)
    throw awsError('ValidationException');
  const answers: (StatementError | undefined)[] = [];
  for (const single of singles) {
    const answer = await land(world, process, single);
    if (answer !== undefined) world.tell(process.name, `${rowKeyOf(single)} in a batch: ${answer.Code}`);
    answers.push(answer);
  }
  return answers;
}

function read(world: World, statement: BatchStatement): SingleWrite {
  try {
    return readStatement(statement);
  } catch (error) {
    world.court.accuse('the world', (error as Error).message);
    throw error;
  }
}

function rowKeyOf(single: SingleWrite): string {
  return ('Put' in single ? single.Put.Item : single.Update.Key).claim?.S ?? '';
}

async function land(
  { faults, plan, tables }: World,
  { name }: Process,
  single: SingleWrite,
): Promise<StatementError | undefined> {
  if (faults.strikes(plan.rates.throttled)) return { Code: 'ThrottlingError' };
  if (faults.strikes(plan.rates.conflict)) return { Code: 'TransactionConflict' };
  const writes = tables.behind(name);
  try {
    await ('Put' in single ? writes.put(single.Put, never) : writes.update(single.Update, never));
    return undefined;
  } catch (error) {
    if (!isNamed(error, 'ConditionalCheckFailedException')) throw error;
    return { Code: 'Put' in single ? 'DuplicateItem' : 'ConditionalCheckFailed' };
  }
}
