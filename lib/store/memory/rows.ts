import type { Item } from './value.ts';

/** The rows of all tables, by table and key. */
export class Rows {
  readonly #tables = new Map<string, Map<string, Item>>();

  get(tableName: string, rowId: string): Item | undefined {
    return this.#tables.get(tableName)?.get(rowId);
  }

  /** Writes the row; no item deletes it. */
  set(tableName: string, rowId: string, item: Item | undefined): void {
    const rows = this.#tables.get(tableName) ?? new Map<string, Item>();
    this.#tables.set(tableName, rows);
    if (item === undefined) rows.delete(rowId);
    else rows.set(rowId, item);
  }

  /** In the order in which they came. */
  all(tableName: string): readonly Item[] {
    return [...(this.#tables.get(tableName)?.values() ?? [])];
  }
}
