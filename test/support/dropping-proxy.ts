import {
  type Fault,
  type FaultyProxy,
  type SeenRequest,
  startFaultyProxy,
} from '../../lib/local/faulty-proxy.ts';

export type Match = (request: SeenRequest) => boolean;

/** A proxy between an SDK client and an emulator that breaks calls on demand. */
export interface DroppingProxy extends FaultyProxy {
  /** Every call seen, in the order of arrival, broken ones included. */
  readonly requests: readonly SeenRequest[];
  /** Forwards the next `times` matching calls, waits until upstream has answered, then cuts the client off. */
  dropNextReply(match?: Match, times?: number): void;
  /** Cuts the client off without forwarding the next `times` matching calls. */
  dropNextRequest(match?: Match, times?: number): void;
  /** Holds the next matching call back. It is forwarded even when its caller gives up in the meantime. */
  delayNext(millis: number, match?: Match): void;
  /** Answers the next `times` matching calls itself. An error body is `{ __type: 'ThrottlingException' }`. */
  answerNext(statusCode: number, body: unknown, match?: Match, times?: number): void;
}

interface Rule {
  readonly fault: Fault;
  readonly match: Match;
  times: number;
}

const any: Match = () => true;

/** Starts a proxy on a free port of 127.0.0.1. The rule set first wins; each call meets at most one. */
export async function startDroppingProxy(targetEndpoint: string): Promise<DroppingProxy> {
  const rules: Rule[] = [];
  const requests: SeenRequest[] = [];
  const proxy = await startFaultyProxy(targetEndpoint, {
    faultOf(seen) {
      requests.push(seen);
      const rule = rules.find(({ match, times }) => times > 0 && match(seen));
      if (rule) rule.times -= 1;
      return rule?.fault;
    },
  });
  const add = (fault: Fault, match: Match = any, times = 1): void => {
    rules.push({ fault, match, times });
  };
  return {
    ...proxy,
    requests,
    dropNextReply: (match, times) => add({ kind: 'drop-reply' }, match, times),
    dropNextRequest: (match, times) => add({ kind: 'drop-request' }, match, times),
    delayNext: (millis, match) => add({ kind: 'delay', millis }, match),
    answerNext: (statusCode, body, match, times) =>
      add({ kind: 'answer', statusCode, body: JSON.stringify(body) }, match, times),
  };
}
