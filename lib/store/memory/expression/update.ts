import type { Value } from '../value.ts';
import type { Path } from './path.ts';

/** What a `SET` computes, always from the item as it was. */
export type Term =
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'if-not-exists'; readonly path: Path; readonly otherwise: Term }
  | { readonly kind: 'list-append' | 'plus' | 'minus'; readonly left: Term; readonly right: Term };

export type UpdateAction =
  | { readonly kind: 'set'; readonly path: Path; readonly term: Term }
  | { readonly kind: 'remove'; readonly path: Path }
  | { readonly kind: 'add' | 'delete'; readonly path: Path; readonly value: Value };
