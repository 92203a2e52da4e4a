/** What of the product runs in a world. A broken twin brings the same with one guard missing. */
export { consumeEvent, createConsumer } from '../../lib/consume-event.ts';
export { attemptFor } from '../../lib/handle/attempts.ts';
export { createGate } from '../../lib/handle/gate.ts';
export { consumerSettings } from '../../lib/settings.ts';
export { batchedClaims } from '../../lib/store/batching/batched-claims.ts';
export { claimStore } from '../../lib/store/claim-store.ts';
export { WholeEvents } from '../../lib/whole-events.ts';
