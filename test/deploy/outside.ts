import { type AttributeValue, DynamoDBClient, GetItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { unmarshall } from '@aws-sdk/util-dynamodb';

export type Item = Readonly<Record<string, unknown>>;

/** Tables and queues as anybody with the rights sees them: nothing here knows the product. */
export class Outside {
  readonly queues: SQSClient;
  private readonly database: DynamoDBClient;

  constructor(endpoint: string | undefined) {
    const at = endpoint === undefined ? {} : { endpoint };
    this.database = new DynamoDBClient(at);
    // A stand-in writes a host name into its queue URLs that is not the one it listens on.
    this.queues = new SQSClient({ ...at, useQueueUrlAsEndpoint: endpoint === undefined });
  }

  async send(queueUrl: string, body: string): Promise<void> {
    await this.queues.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body }));
  }

  async item(table: string, key: Readonly<Record<string, string>>): Promise<Item | undefined> {
    const Key = Object.fromEntries(Object.entries(key).map(([name, value]) => [name, { S: value }]));
    const command = new GetItemCommand({ TableName: table, Key, ConsistentRead: true });
    const { Item } = await this.database.send(command);
    return Item && unmarshall(Item);
  }

  async items(table: string): Promise<Item[]> {
    const { Items = [] } = await this.database.send(new ScanCommand({ TableName: table }));
    return Items.map((item: Record<string, AttributeValue>) => unmarshall(item));
  }

  /** Takes every message out of a queue that comes within a second. */
  async drain(queueUrl: string): Promise<Message[]> {
    const taken: Message[] = [];
    for (;;) {
      const answer = await this.queues.send(
        new ReceiveMessageCommand({
          QueueUrl: queueUrl,
          MaxNumberOfMessages: 10,
          WaitTimeSeconds: 1,
          MessageAttributeNames: ['All'],
        }),
      );
      if (!answer.Messages?.length) return taken;
      for (const message of answer.Messages) {
        taken.push(message);
        const { ReceiptHandle } = message;
        await this.queues.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }));
      }
    }
  }

  /** Waits until nothing waits and nothing is in flight, seen twice: SQS's counts are approximate. */
  async untilIdle(queueUrl: string): Promise<void> {
    let seen = 0;
    await eventually(
      'messages left in the queue',
      async () => {
        const left = await this.messagesIn(queueUrl);
        seen = left === 0 ? seen + 1 : 0;
        return left;
      },
      () => seen === 2,
    );
  }

  close(): void {
    this.database.destroy();
    this.queues.destroy();
  }

  private async messagesIn(queueUrl: string): Promise<number> {
    const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
    const command = new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: [...names] });
    const { Attributes = {} } = await this.queues.send(command);
    return names.reduce((sum, name) => sum + Number(Attributes[name]), 0);
  }
}

/** Asks until the answer is the one wanted; says the last one when it never comes. */
export async function eventually<Answer>(
  what: string,
  ask: () => Promise<Answer>,
  wanted: (answer: Answer) => boolean,
  withinSeconds = 120,
): Promise<Answer> {
  const end = Date.now() + withinSeconds * 1_000;
  for (;;) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    if (Date.now() > end)
      throw new Error(`${what}: still ${JSON.stringify(answer)} after ${withinSeconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}
