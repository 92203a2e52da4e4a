import type { EngineInvocation } from '../invocation.ts';
import type { ClaimRow, Work } from '../words.ts';
import { answered, followUpsUnsent, type RequestEnding } from './http-ending.ts';
import { readResponse, replayedHeader } from './http-record.ts';
import { keepAlive, refOf } from './keep-alive.ts';
import { sendRecordedFollowUps } from './recorded-follow-ups.ts';

/** A retry of what is done: what the first left to do is done, then it gets the answer the first got. */
export async function replay(
  work: Work,
  invocation: EngineInvocation,
  row: ClaimRow,
): Promise<RequestEnding> {
  const { followUps = [], followUpsSent = 0 } = row;
  if (!(await sendRecordedFollowUps(work, invocation, refOf(row), followUps, followUpsSent))) {
    return followUpsUnsent();
  }
  await keepAlive(work, invocation, row);
  invocation.tell('duplicate', work, { fence: row.fence });
  const { response, bodyKept } = readResponse(row.result);
  const marker = bodyKept ? 'true' : 'body-not-kept';
  return answered({ ...response, headers: { ...response.headers, [replayedHeader]: marker } });
}
