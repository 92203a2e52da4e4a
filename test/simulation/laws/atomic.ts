import type { Attributes } from '../../../lib/store/table.ts';
import type { ClaimRow } from '../../../lib/words.ts';
import { beginsAnew } from '../facts.ts';
import { accountTable, ledgerTable } from '../world/tables.ts';
import type { LawIn } from './law.ts';

/** How many of these outcomes brought an entry with them. */
function completedIn(outcomes: readonly (ClaimRow | undefined)[]): number {
  return outcomes.filter((outcome) => outcome?.status === 'completed').length;
}

/** L3: what an attempt collected is there exactly when its outcome is, and once. */
export const writesLandWithTheirOutcome: LawIn = ({ plan, tables, facts, services }, accuse) => {
  if (!plan.transactions) return {};
  const entriesOf = (rowKey: string) => ledger().filter(({ work }) => work?.S === rowKey);
  const ledger = (): readonly Attributes[] => tables.items(ledgerTable);

  return {
    committed({ after, writer }, writes) {
      const entry = writes.find(({ Put }) => Put?.TableName === ledgerTable)?.Put?.Item;
      if (entry?.work?.S !== after.claim)
        accuse('L15', `writes of ${entry?.work?.S} landed with ${after.claim}`);
      if (entry?.entry?.S?.startsWith(`${writer}:`) !== true)
        accuse('L15', `${writer} committed ${entry?.entry?.S}`);
    },
    rowChanged(change) {
      const { work, after } = change;
      const entries = entriesOf(after.claim).length;
      const past = completedIn(work.pastOutcomes) + (beginsAnew(change) ? completedIn([work.outcome]) : 0);
      const expected = past + completedIn([after]);
      if (entries !== expected)
        accuse('L3', `the row is ${after.status} and the ledger has ${entries} entries`);
    },
    ended() {
      const entries = ledger().length;
      const [account] = tables.items(accountTable);
      if (Number(account?.entries?.N ?? 0) !== entries) {
        accuse('L3', `the account counts ${account?.entries?.N} and the ledger has ${entries} entries`);
      }
      for (const work of facts.works.values()) {
        if (!services.some(({ scope }) => scope === work.scope)) continue;
        const expected = completedIn([...work.pastOutcomes, work.outcome]);
        if (entriesOf(work.rowKey).length !== expected)
          accuse('L3', `${work.rowKey} does not have ${expected} entries`);
      }
    },
  };
};
