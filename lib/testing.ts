export {
  type EventMessage,
  lambdaContext,
  redeliver,
  sqsEvent,
  type TestContext,
} from './local/events-for-tests.ts';
export { type LocalAws, startLocalAws } from './local/local-aws.ts';
export { type MemoryClaims, type MemoryClaimsOptions, memoryClaims } from './store/memory.ts';
export { type CrashPoint, crashAfter, type DoomedProcess } from './testing/crash-after.ts';
export { type HandClock, handClock } from './testing/hand-clock.ts';
export { type InterleaveOptions, type Interleaving, interleave } from './testing/interleave.ts';
export {
  type MemorySqs,
  type MemorySqsOptions,
  memorySqs,
  type ReturnedMessage,
  type SentMessage,
} from './testing/memory-sqs.ts';
