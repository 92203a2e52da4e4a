import { SQSClient } from '@aws-sdk/client-sqs';
import middy from '@middy/core';

const sqs = new SQSClient();

/** Enough to have something to bundle: a package, and the SDK that comes with Lambda. */
export const handler = middy().handler(async () => ({ region: await sqs.config.region() }));
