import { validationError } from '../dynamo-error.ts';
import type { Item, Value } from '../value.ts';
import { type Path, valueAt } from './path.ts';

/** A new value for a place in an item; none removes it. */
export interface Change {
  readonly path: Path;
  readonly value: Value | undefined;
}

/**
 * The item with all changes made. Places in lists are those of the item as it was: values are set first, new
 * elements in the order of their numbers, then elements are removed from the end towards the front.
 */
export function change(item: Item, changes: readonly Change[]): Item {
  const inOrder = changes.toSorted((left, right) => placeOrder(left.path, right.path));
  const sets = inOrder.filter(({ value }) => value !== undefined);
  const removals = inOrder
    .filter(({ value, path }) => value === undefined && !isPastEnd(item, path))
    .reverse();
  return [...sets, ...removals].reduce((changed, { path, value }) => withMember(changed, path, value), item);
}

/** Nothing to remove there, and an element that a `SET` appends must not be taken for it. */
function isPastEnd(item: Item, [attribute, ...inner]: Path): boolean {
  const place = inner.at(-1);
  const list = valueAt(item, [attribute, ...inner.slice(0, -1)]);
  return typeof place === 'number' && list?.type === 'L' && place >= list.value.length;
}

function placeOrder(left: Path, right: Path): number {
  for (const [depth, step] of left.entries()) {
    const other = right[depth];
    if (other === undefined || step === other) continue;
    return step < other ? -1 : 1;
  }
  return 0;
}

function withMember(item: Item, [name, ...inner]: Path, value: Value | undefined): Item {
  const members = new Map(item);
  const member = inner.length === 0 ? value : placed(members.get(name), inner, value);
  if (member === undefined) members.delete(name);
  else members.set(name, member);
  return members;
}

function placed(
  container: Value | undefined,
  [step, ...inner]: readonly (string | number)[],
  value: Value | undefined,
): Value {
  if (typeof step === 'string' && container?.type === 'M') {
    return { type: 'M', value: withMember(container.value, [step, ...inner], value) };
  }
  if (typeof step === 'number' && container?.type === 'L') {
    const element = inner.length === 0 ? value : placed(container.value[step], inner, value);
    return { type: 'L', value: withElement(container.value, step, element) };
  }
  throw validationError('The document path provided in the update expression is invalid for update');
}

/** A number past the end appends: there are no holes. */
function withElement(elements: readonly Value[], place: number, element: Value | undefined): Value[] {
  if (element === undefined) return elements.toSpliced(place, 1);
  return place < elements.length ? elements.with(place, element) : [...elements, element];
}
