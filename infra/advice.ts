/** What a person who is woken by an alarm reads: what happened, and what to do first. */
export const advice = {
  deadLetters:
    'Messages wait in the dead-letter queue. Run `sqs-once dlq list` first: it shows each with its reason. ' +
    'Mend the cause, then `sqs-once dlq redrive`.',
  stalled:
    'The consumer has work and finishes nothing. See whether its event source mapping is enabled and whether ' +
    'the function is throttled; `sqs-once doctor` checks the wiring.',
  crashing:
    "Calls of the function fail as a whole and nothing is finished. Read the function's log: a module that " +
    'throws while loading, a missing right, a table that is gone, or a timeout.',
  inFlight:
    'Nearly 120,000 messages are in flight; past that SQS hands out no more. See what the handler waits for, ' +
    'or whether many messages are put off at once.',
  tableThrottled:
    'The claim table refuses writes, so messages go back to the queue unhandled. Nothing is lost. ' +
    "Raise the table's warm throughput or capacity, or lower maxConcurrency.",
  parked: 'A message was parked as poison. Run `sqs-once dlq list`: it shows the reason.',
  fencedOut:
    'An attempt outlived its lease and another took over: the first wrote nothing, but its calls to other ' +
    'services may have happened twice. Look for a frozen or overlong run; give calls an effect key.',
  outcomeUnrecorded:
    'Work was done, but its outcome could not be written, and the message is acknowledged. The log names its ' +
    'scope and message id. See whether the claim table is reachable.',
  parkFailed:
    'The dead-letter queue did not take a message. It stays in the source queue. See whether the function may ' +
    'send to the dead-letter queue and use its key.',
} as const;

/** The same for what answers HTTP requests. */
export const receiverAdvice = {
  crashing:
    "Calls of the function fail as a whole, so callers get no answer of ours. Read the function's log: a module " +
    'that throws while loading, a missing right, a table that is gone, or a timeout.',
  tableThrottled:
    'The claim table refuses writes, so callers are told to try again. ' +
    "Raise the table's warm throughput or capacity.",
  fencedOut:
    'A request outlived its lease and another attempt took over: the first wrote nothing, but its calls to ' +
    'other services may have happened twice. Look for a frozen or overlong run; give calls an effect key.',
  outcomeUnrecorded:
    'A request was answered, but its answer could not be recorded: a retry after the lease runs it again. ' +
    'See whether the claim table is reachable.',
} as const;
