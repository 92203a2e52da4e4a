export { type EventMessage, redeliver, sqsEvent } from './local/events-for-tests.ts';
export { type LocalAws, startLocalAws } from './local/local-aws.ts';
export { type MemoryClaims, type MemoryClaimsOptions, memoryClaims } from './store/memory.ts';
