import {
  SendMessageCommand,
  type SendMessageCommandInput,
  type SendMessageCommandOutput,
} from '@aws-sdk/client-sqs';
import type { Arrival } from '../arrive/message.ts';
import { isNamed } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { withoutStory } from './dead-letter-message.ts';

/** What SQS says when it does not like the message itself, such as its size. */
const contentRefusals = ['InvalidParameterValue', 'InvalidParameterValueException', 'InvalidMessageContents'];

/** Where a message is parked, as far as that can be found out within the invocation's time. */
export async function deadLetterQueueOf(
  arrival: Arrival,
  invocation: Invocation,
): Promise<string | undefined> {
  return invocation.queueOf(arrival.record.eventSourceARN).deadLetterQueueUrl();
}

/**
 * Sends to the dead-letter queue. Only an answer that names the message it took is an acceptance.
 *
 * @throws whatever says that the queue did not take it
 */
export async function sendToDeadLetterQueue(
  invocation: Invocation,
  message: SendMessageCommandInput,
): Promise<void> {
  try {
    const answer: SendMessageCommandOutput = await invocation
      .sqs()
      .send(new SendMessageCommand(message), { abortSignal: invocation.signal });
    if (answer?.MessageId === undefined) {
      throw new Error('the dead-letter queue answered without a message id');
    }
  } catch (error) {
    // A queue may take less than SQS at most does. The story gives way then too; the row keeps it.
    const bare = contentRefusals.some((name) => isNamed(error, name)) ? withoutStory(message) : undefined;
    if (bare === undefined) throw error;
    await sendToDeadLetterQueue(invocation, bare);
  }
}
