import { expect, vi } from 'vitest';
import type { PutStatement, Table, TransactStatement, UpdateStatement } from '../../lib/store/table.ts';
import type { Engine } from './rig.ts';

/** A law's test, to be run against the product and against twins of it. */
export type Law<Twin> = (twin: Twin) => Promise<void>;

/**
 * Runs a law's test against a broken twin: it has to fail, and by an expectation, not by a twin that does not
 * even run.
 */
export async function caught(test: Promise<void>): Promise<void> {
  let failure: unknown = await test.then(
    () => undefined,
    (error: unknown) => error,
  );
  // A property's failure has the expectation's as its cause.
  while (failure instanceof Error && failure.name !== 'AssertionError' && failure.cause)
    failure = failure.cause;
  expect(failure, 'the broken twin passed').toMatchObject({ name: 'AssertionError' });
}

/** The engine as another process has it: nothing that one process remembers is shared. */
export async function anotherProcess(): Promise<Engine> {
  vi.resetModules();
  try {
    return await import('../../lib/consumer.ts');
  } finally {
    vi.resetModules();
  }
}

/** The engine with one module's exports replaced: a twin without the guard that lives there. */
export async function engineWithout(module: string, replacement: Record<string, unknown>): Promise<Engine> {
  const path = `../../lib/${module}`;
  vi.resetModules();
  vi.doMock(path, async (original) => ({ ...((await original()) as object), ...replacement }));
  try {
    return await import('../../lib/consumer.ts');
  } finally {
    vi.doUnmock(path);
    vi.resetModules();
  }
}

/** A table that forgets one part of the condition of every write to a claim. */
export function withoutCondition(part: RegExp): (table: Table) => Table {
  return (table) => ({
    ...table,
    put: (statement, signal) => table.put(relaxed(statement, part), signal),
    update: (statement, signal) => table.update(relaxed(statement, part), signal),
    transact: (statement, signal) => table.transact(withOwnRelaxed(statement, part), signal),
  });
}

/** The claim's own write is a transaction's first; the others are the user's. */
function withOwnRelaxed(statement: TransactStatement, part: RegExp): TransactStatement {
  const [own, ...users] = statement.TransactItems;
  const relaxedOwn =
    own?.Put !== undefined
      ? { Put: relaxed(own.Put as PutStatement, part) }
      : { Update: relaxed(own?.Update as UpdateStatement, part) };
  return { ...statement, TransactItems: [relaxedOwn, ...users] };
}

/** The statement without that part; names and values that are used nowhere else go with it. */
export function relaxed<Statement extends PutStatement | UpdateStatement>(
  statement: Statement,
  part: RegExp,
): Statement {
  const condition = statement.ConditionExpression.split(' AND ')
    .filter((test) => !part.test(test))
    .join(' AND ');
  const { ConditionExpression: _, ...rest } = statement;
  const texts = [condition, 'UpdateExpression' in statement ? statement.UpdateExpression : ''].join(' ');
  const used = (name: string) => new RegExp(`${name}\\b`).test(texts);
  const values = Object.entries(statement.ExpressionAttributeValues ?? {}).filter(([name]) => used(name));
  const names = Object.entries(statement.ExpressionAttributeNames ?? {}).filter(([name]) => used(name));
  return {
    ...rest,
    ...(condition === '' ? {} : { ConditionExpression: condition }),
    ExpressionAttributeNames: names.length === 0 ? undefined : Object.fromEntries(names),
    ExpressionAttributeValues: values.length === 0 ? undefined : Object.fromEntries(values),
  } as Statement;
}
