import type { SqsBatchResponse } from '../../../index.ts';
import { handler as sound } from '../payments.ts';

/** The built-in consumer, acknowledging before the work is done. */
export const handler = async (event: unknown, context: unknown): Promise<SqsBatchResponse> => {
  sound(event, context).catch(() => {});
  return { batchItemFailures: [] };
};
