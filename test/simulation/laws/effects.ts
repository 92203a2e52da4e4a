import { isAllowed, type PaymentEvent } from '../../support/payment-events.ts';
import { paymentTable } from '../world/tables.ts';
import type { LawIn } from './law.ts';

/** L10: one effect has one key, on every attempt and after every redrive, until a person asks for another. */
export const effectsKeepTheirKeys: LawIn = ({ facts, gateway }, accuse) => ({
  effectAsked({ work, era }, name, key) {
    // One that was frozen over a redrive wakes with the keys of its own time; the row knows only the new ones.
    const generation = era === work.era ? (work.row?.effects ?? 0) : `of era ${era}`;
    const effect = `${name} ${generation}`;
    const known = work.effectKeys.get(effect);
    if (known !== undefined && known !== key) accuse('L10', `the effect ${name} has another key than before`);
    work.effectKeys.set(effect, key);
  },
  ended() {
    for (const { rowKey, effectKeys } of facts.works.values()) {
      const charges = [...gateway.charges.values()].filter((charged) => charged === rowKey).length;
      if (charges > effectKeys.size) accuse('L10', `${rowKey} was charged ${charges} times`);
    }
  },
});

/** A payment goes through its states as its machine allows, whatever order its events came in. */
export const paymentsFollowTheirMachine: LawIn = (_world, accuse) => {
  const path: PaymentEvent[] = [];
  return {
    committed(_change, writes) {
      const step = writes.find(({ Update }) => Update?.TableName === paymentTable)?.Update;
      if (step === undefined) return;
      path.push(step.ExpressionAttributeValues?.[':to']?.S as PaymentEvent);
      if (!isAllowed(path)) accuse('L3', `a payment went through ${path.join(', ')}`);
    },
  };
};
