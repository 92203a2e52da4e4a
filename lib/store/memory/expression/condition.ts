import type { Value } from '../value.ts';
import type { Path } from './path.ts';

/** What a condition looks at: an attribute, a given value, or the size of either. */
export type Operand =
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'size'; readonly of: Exclude<Operand, { kind: 'size' }> };

export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';

/** A `ConditionExpression`, read and checked, its placeholders replaced. */
export type Condition =
  | { readonly kind: 'and' | 'or'; readonly left: Condition; readonly right: Condition }
  | { readonly kind: 'not' | 'group'; readonly condition: Condition }
  | {
      readonly kind: 'compare';
      readonly comparator: Comparator;
      readonly left: Operand;
      readonly right: Operand;
    }
  | {
      readonly kind: 'between';
      readonly operand: Operand;
      readonly low: Operand;
      readonly high: Operand;
    }
  | { readonly kind: 'in'; readonly operand: Operand; readonly options: readonly Operand[] }
  | { readonly kind: 'exists' | 'not-exists'; readonly path: Path }
  | { readonly kind: 'type'; readonly operand: Operand; readonly type: string }
  | { readonly kind: 'begins-with'; readonly operand: Operand; readonly prefix: Operand }
  | { readonly kind: 'contains'; readonly operand: Operand; readonly member: Operand };
