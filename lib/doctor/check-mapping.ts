import type { Facts, FunctionFacts, MappingFacts } from './facts.ts';
import { seen } from './facts.ts';
import { error, type Finding, warning } from './finding.ts';

/** The event source mapping, and whether the function knows what it does. */
export function checkMapping(facts: Facts): Finding[] {
  if (facts.mapping.status === 'missing') {
    return [
      error('mapping-missing', {
        what: 'no event source mapping joins the queue and the function',
        why: 'nobody takes messages out of the queue; they expire there',
        fix: 'create one with FunctionResponseTypes: ReportBatchItemFailures',
      }),
    ];
  }
  const mapping = seen(facts.mapping);
  if (mapping === undefined) return [];
  const fn = seen(facts.function);
  return [...checkState(mapping), ...checkResponses(mapping, fn), ...checkConcurrency(mapping, fn)];
}

function checkState({ state }: MappingFacts): Finding[] {
  if (!/^Disabl/.test(state)) return [];
  return [
    error('mapping-disabled', {
      what: `the event source mapping is ${state.toLowerCase()}`,
      why: 'nobody takes messages out of the queue; they expire there',
      fix: 'aws lambda update-event-source-mapping --enabled, or Enabled: true in its stack',
    }),
  ];
}

function checkResponses({ partialResponses }: MappingFacts, fn: FunctionFacts | undefined): Finding[] {
  const told = fn?.environment.SQS_ONCE_PARTIAL_RESPONSES;
  if (!partialResponses && told !== 'false') {
    return [
      error('partial-responses-off', {
        what: 'the event source mapping does not report batch item failures',
        why: 'Lambda ignores which messages failed and deletes the whole batch: failed and running messages are lost',
        fix: 'set FunctionResponseTypes to ReportBatchItemFailures, or say partialResponses: false in the code',
      }),
    ];
  }
  if (partialResponses && told === 'false') {
    return [
      warning('partial-responses-unused', {
        what: 'the mapping reports batch item failures, and SQS_ONCE_PARTIAL_RESPONSES is false',
        why: 'one failure brings the whole batch back, so every message of it costs another receive',
        fix: 'set SQS_ONCE_PARTIAL_RESPONSES to true',
      }),
    ];
  }
  return [];
}

function checkConcurrency({ maxConcurrency }: MappingFacts, fn: FunctionFacts | undefined): Finding[] {
  const reserved = fn && seen(fn.reservedConcurrency);
  if (reserved === undefined || (maxConcurrency !== undefined && maxConcurrency <= reserved)) return [];
  const bound =
    maxConcurrency === undefined ? 'no maximum concurrency' : `a maximum concurrency of ${maxConcurrency}`;
  return [
    warning('reserved-without-maximum', {
      what: `the function has ${reserved} reserved executions and the mapping ${bound}`,
      why: 'Lambda reads more messages than the function may start; those lose receives without being tried',
      fix: `set ScalingConfig.MaximumConcurrency to at most ${Math.max(2, reserved)}`,
    }),
  ];
}
