import middy from '@middy/core';
import { z } from 'zod';
import { idempotentReceiver, logTo } from '../lib/index.ts';
import { setting } from './environment.ts';
import { verifySignature } from './verify-signature.ts';

const parcelEvents = setting('PARCEL_EVENTS_QUEUE_URL');

const ParcelEvent = z.object({ eventId: z.string(), parcelId: z.string(), status: z.string() });

const webhook = idempotentReceiver({
  scope: 'signed-carrier-webhook',
  caller: 'public',
  schema: ParcelEvent,
  key: ({ body }) => body.eventId,
  observers: [logTo(console)],
});

/** The signature comes first: whoever cannot sign neither learns which events were here nor uses up their ids. */
export const handler = middy()
  .use(verifySignature({ secret: setting('WEBHOOK_SECRET'), header: 'x-carrier-signature' }))
  .use(webhook)
  .handler(
    webhook.eachRequest(async ({ body: event }, attempt) => {
      attempt.followUps.send({ queueUrl: parcelEvents, body: event });
      return { statusCode: 202 };
    }),
  );
