import { z } from 'zod';
import { logTo, receiveOnce } from '../lib/index.ts';
import { setting } from './environment.ts';

const parcelEvents = setting('PARCEL_EVENTS_QUEUE_URL');

const ParcelEvent = z.object({
  eventId: z.string(),
  parcelId: z.string(),
  status: z.enum(['collected', 'in-transit', 'delivered']),
});

/**
 * A carrier's webhook: the event is taken down, answered at once, and handled behind the queue. A carrier that
 * calls twice gets the same answer twice and puts one message into the queue.
 */
export const handler = receiveOnce(
  {
    scope: 'carrier-webhook',
    // There is one carrier. Who may call at all is for the API's authorizer or the function URL to say.
    caller: 'public',
    schema: ParcelEvent,
    key: ({ body }) => body.eventId,
    // The carrier counts its tries in the body.
    volatile: ['/attempt', '/sentAt'],
    observers: [logTo(console)],
  },
  async ({ body: event }, attempt) => {
    attempt.followUps.send({ queueUrl: parcelEvents, body: event });
    return { statusCode: 202 };
  },
);
