import { createGate, type Gate } from './handle/gate.ts';
import type { MiddlewareRequest } from './withheld.ts';

const inside = new WeakMap<MiddlewareRequest, Gate>();

/**
 * The gate for a consumer that stands behind another one on the same request. The outer one holds its place at
 * the process's gate until the inner one is done; an attempt of the inner one that wants to run alone would
 * wait for it for ever, so it is alone among its own.
 */
export function gateInside(request: MiddlewareRequest): Gate | undefined {
  return inside.get(request);
}

export function openInside(request: MiddlewareRequest): void {
  inside.set(request, createGate());
}
