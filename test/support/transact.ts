import type { CollectedTransaction } from '../../lib/handle/transaction.ts';
import type { Judgement } from '../../lib/handle/transaction-judgement.ts';
import type { RejectedWrite } from '../../lib/store/port.ts';
import type { Table } from '../../lib/store/table.ts';
import type { TransactionWrite } from '../../lib/store/writes.ts';

interface Reason {
  readonly Code?: string;
  readonly Item?: Record<string, unknown>;
}

/** Sends an attempt's writes by themselves, without a claim beside them, and has a refusal judged. */
export async function transact(
  table: Pick<Table, 'transact'>,
  collected: CollectedTransaction,
  writes: readonly TransactionWrite[] = collected.freeze(),
): Promise<{ readonly status: 'landed' } | Judgement> {
  try {
    await table.transact({ TransactItems: [...writes] }, new AbortController().signal);
    return { status: 'landed' };
  } catch (error) {
    const reasons: readonly Reason[] | undefined = Reflect.get(error as object, 'CancellationReasons');
    const failures: readonly RejectedWrite[] = (reasons ?? []).flatMap(({ Code, Item }, index) =>
      Code === 'ConditionalCheckFailed' ? [{ index, item: Item }] : [],
    );
    if (failures.length === 0) throw error;
    return collected.judge(failures);
  }
}
