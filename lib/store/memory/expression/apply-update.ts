import { isSet, type SetValue } from '../compare.ts';
import { negated, sum } from '../decimal.ts';
import { validationError } from '../dynamo-error.ts';
import type { Item, Value } from '../value.ts';
import { change } from './change.ts';
import { type Path, valueAt } from './path.ts';
import type { Term, UpdateAction } from './update.ts';

/**
 * The item after the update. Everything is computed from the item as it was, `SET a = b, b = a` swaps.
 *
 * @param key the item's key, which is all there is of it where nothing stood
 * @throws a `ValidationException` for an update that does not fit this item
 */
export function applyUpdate(actions: readonly UpdateAction[], old: Item | undefined, key: Item): Item {
  const item = old ?? key;
  const changes = actions
    // DynamoDB refuses to remove `a.b` where there is no `a`, unless there is no item at all.
    .filter(({ kind }) => kind !== 'remove' || old !== undefined)
    .map((action) => ({ path: action.path, value: outcome(action, item) }));
  return change(item, changes);
}

function outcome(action: UpdateAction, item: Item): Value | undefined {
  switch (action.kind) {
    case 'set':
      return compute(action.term, item);
    case 'remove':
      return undefined;
    case 'add':
      return added(valueAt(item, action.path), action.value);
    case 'delete':
      return without(valueAt(item, action.path), action.value);
    default:
      return action satisfies never;
  }
}

function compute(term: Term, item: Item): Value {
  switch (term.kind) {
    case 'value':
      return term.value;
    case 'path':
      return existing(term.path, item);
    case 'if-not-exists':
      return valueAt(item, term.path) ?? compute(term.otherwise, item);
    case 'list-append': {
      const [left, right] = [compute(term.left, item), compute(term.right, item)];
      if (left.type !== 'L' || right.type !== 'L') throw wrongType();
      return { type: 'L', value: [...left.value, ...right.value] };
    }
    case 'plus':
      return total(compute(term.left, item), compute(term.right, item));
    case 'minus':
      return total(compute(term.left, item), opposite(compute(term.right, item)));
    default:
      return term satisfies never;
  }
}

function existing(path: Path, item: Item): Value {
  const value = valueAt(item, path);
  if (value !== undefined) return value;
  throw validationError('The provided expression refers to an attribute that does not exist in the item');
}

function total(left: Value, right: Value): Value {
  if (left.type !== 'N' || right.type !== 'N') throw wrongType();
  return { type: 'N', value: sum(left.value, right.value) };
}

function opposite(value: Value): Value {
  if (value.type !== 'N') throw wrongType();
  return { type: 'N', value: negated(value.value) };
}

function added(old: Value | undefined, value: Value): Value {
  if (old === undefined) return value;
  if (!isSet(value)) return total(old, value);
  return { type: value.type, value: new Map([...sameSet(old, value), ...value.value]) };
}

/** The last member takes the attribute with it: there is no empty set. */
function without(old: Value | undefined, value: Value): Value | undefined {
  if (old === undefined) return undefined;
  if (!isSet(value)) throw wrongType();
  const left = [...sameSet(old, value)].filter(([text]) => !value.value.has(text));
  return left.length === 0 ? undefined : { type: value.type, value: new Map(left) };
}

function sameSet(old: Value, value: SetValue): SetValue['value'] {
  if (!isSet(old) || old.type !== value.type) throw wrongType();
  return old.value;
}

function wrongType() {
  return validationError('An operand in the update expression has an incorrect data type');
}
