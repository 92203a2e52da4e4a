import type { Attributes, Table } from '../../lib/store/table.ts';

type Tell = (item: Attributes) => Record<string, unknown> | undefined;

interface Refusal {
  readonly Item?: Attributes;
  readonly CancellationReasons?: readonly { readonly Item?: Attributes }[];
}

/** A table that tells the claim's old item of a refusal otherwise, as older clients and emulators do. */
export function tellingOldItems(table: Table, tell: Tell): Table {
  const told = (call: Promise<void>) =>
    call.catch((error) => {
      throw toldOtherwise(error, tell);
    });
  return {
    ...table,
    put: (...asked) => told(table.put(...asked)),
    update: (...asked) => told(table.update(...asked)),
    transact: (...asked) => told(table.transact(...asked)),
  };
}

/** The error with the claim's item told otherwise; the items of the user's writes stay as they are. */
export function toldOtherwise(error: Refusal, tell: Tell): unknown {
  const { Item, CancellationReasons } = error;
  if (Item !== undefined) return Object.assign(error, { Item: tell(Item) });
  if (CancellationReasons === undefined) return error;
  const [own, ...users] = CancellationReasons;
  const toldOwn = own?.Item === undefined ? own : { ...own, Item: tell(own.Item) };
  return Object.assign(error, { CancellationReasons: [toldOwn, ...users] });
}
