import { eachRequest, type Incoming } from './each-request.ts';
import type { ReceiverSettings } from './receiver-settings.ts';
import type { RequestEnding } from './settle/http-ending.ts';
import { readAnswer } from './settle/http-response.ts';

/**
 * A request for a handler that knows nothing of us. It goes its usual path up to the handler and waits there;
 * what the user's handler then answers is what ours is said to have answered.
 */
export interface WholeRequest {
  /** Its answer, when the handler must not run for it; undefined when it waits for the handler. */
  readonly answer: RequestEnding | undefined;
  returned(response: unknown): Promise<RequestEnding>;
  threw(error: unknown): Promise<RequestEnding>;
  /** The answer is given while the handler still runs: its claim stays. */
  abandon(): void;
}

export async function beginWholeRequest<Body>(
  settings: ReceiverSettings<Body>,
  incoming: Incoming,
): Promise<WholeRequest> {
  const atHandler = Promise.withResolvers<undefined>();
  const ofHandler = Promise.withResolvers<unknown>();
  const expiry = Promise.withResolvers<void>();
  const ending = eachRequest(settings, { ...incoming, expiry: expiry.promise }, () => {
    atHandler.resolve(undefined);
    return ofHandler.promise;
  });
  let isOver = false;
  void ending.then(() => {
    isOver = true;
  });
  return {
    answer: await Promise.race([atHandler.promise, ending]),
    returned(response) {
      // Once the time is up, Middy may answer while the handler still runs: only an answer to be kept says that
      // the work is done, and any other must not free the claim.
      if (!isOver || isKept(response, settings)) ofHandler.resolve(response);
      return ending;
    },
    threw(error) {
      ofHandler.reject(error);
      return ending;
    },
    abandon: expiry.resolve,
  };
}

function isKept<Body>(value: unknown, { isRecorded }: ReceiverSettings<Body>): boolean {
  const { status, response } = readAnswer(value);
  return status === 'unusable' || isRecorded(response.statusCode);
}
