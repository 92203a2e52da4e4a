import type { SqsRecord } from '../arrive/record.ts';

/** What a synchronous invocation may carry. */
const payloadLimitBytes = 6 * 1_024 * 1_024;

/** Cuts records into batches one invocation can carry, in order. A batch holds at least one. */
export function splitByPayload(records: readonly SqsRecord[], limitBytes = payloadLimitBytes): SqsRecord[][] {
  const batches: SqsRecord[][] = [];
  let roomBytes = 0;
  for (const record of records) {
    const bytes = Buffer.byteLength(JSON.stringify(record));
    const batch = batches.at(-1);
    if (batch === undefined || bytes > roomBytes) {
      batches.push([record]);
      roomBytes = limitBytes - bytes;
    } else {
      batch.push(record);
      roomBytes -= bytes;
    }
  }
  return batches;
}
