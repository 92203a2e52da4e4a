export type { HttpRequest, ReceivedRequest } from './arrive/http-request.ts';
export { keyFrom } from './arrive/key-from.ts';
export type { SqsBatchResponse, SqsEvent, SqsMessageAttribute, SqsRecord } from './arrive/record.ts';
export {
  type ConsumerMiddleware,
  consumeOnce,
  idempotentConsumer,
  type LambdaHandler,
} from './consumer.ts';
export {
  ConfigurationError,
  EffectKeyExpiredError,
  FencedOutError,
  KeyReusedError,
  NoKeyError,
  PoisonMessageError,
  RetryLaterError,
  TransactionRejectedError,
} from './errors.ts';
export type { Attempt, PreviousAttempt } from './handle/attempt.ts';
export { attemptFor } from './handle/attempts.ts';
export type { FollowUpAttribute } from './handle/follow-up-attributes.ts';
export type { AttemptFollowUps, FollowUp } from './handle/follow-ups.ts';
export { type StateMachine, stateMachine } from './handle/state-machine.ts';
export type { AttemptTransaction } from './handle/transaction.ts';
export type {
  CheckInput,
  DeleteInput,
  NativeAttributes,
  PutInput,
  UpdateInput,
} from './handle/transaction-input.ts';
export type { MachineTransition, PlainTransition } from './handle/transition.ts';
export type { Observer, OnceEvent, OnceEventType } from './observe/events.ts';
export { type LoggerLike, logTo } from './observe/log.ts';
export { emitMetrics } from './observe/metrics.ts';
export { type OpenTelemetryApi, traceTo } from './observe/trace.ts';
export type { Backoff, ConsumerOptions, Keyed, Message } from './options.ts';
export {
  idempotentReceiver,
  type LambdaReceiver,
  type ReceiverMiddleware,
  receiveHttp,
  receiveOnce,
} from './receiver.ts';
export type {
  HttpReceiverOptions,
  KeyedRequest,
  ReceiverOptions,
  RequestHandler,
} from './receiver-options.ts';
export type { LambdaResponse } from './settle/http-event-response.ts';
export type { HttpResponse } from './settle/http-response.ts';
export type { Outcome } from './settle/outcome.ts';
export { type DynamoClaimsOptions, type DynamoClient, dynamoClaims } from './store/dynamo.ts';
export { type MemoryClaims, type MemoryClaimsOptions, memoryClaims } from './store/memory.ts';
export type { ClaimStore } from './store/port.ts';
export type { MiddlewareRequest } from './withheld.ts';
export type { TraceCarrier } from './words.ts';
