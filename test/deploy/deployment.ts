import { DynamoDBClient, GetItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { rowKey } from '../../lib/arrive/row-key.ts';
import type { Order } from './handlers/capture.ts';
import type { Outputs } from './stack.ts';

type Item = Readonly<Record<string, unknown>>;

/** The deployed stack, seen from outside. */
export class Deployment {
  readonly outputs: Outputs;
  private readonly database: DynamoDBClient;
  private readonly queues: SQSClient;

  constructor(outputs: Outputs, endpoint: string | undefined) {
    const at = endpoint === undefined ? {} : { endpoint };
    this.outputs = outputs;
    this.database = new DynamoDBClient(at);
    this.queues = new SQSClient({ ...at, useQueueUrlAsEndpoint: endpoint === undefined });
  }

  async send(order: Order, times = 1): Promise<void> {
    for (let time = 0; time < times; time += 1) await this.sendText(JSON.stringify(order));
  }

  async sendText(body: string): Promise<void> {
    await this.queues.send(new SendMessageCommand({ QueueUrl: this.outputs.Queue, MessageBody: body }));
  }

  /** How often the handler ran for an order. */
  async runs(orderId: string): Promise<number> {
    const item = await this.item(this.outputs.Runs, { orderId: { S: orderId } });
    return Number(item?.runs ?? 0);
  }

  capture(orderId: string): Promise<Item | undefined> {
    return this.item(this.outputs.Captures, { orderId: { S: orderId } });
  }

  claim(orderId: string): Promise<Item | undefined> {
    return this.item(this.outputs.Claims, { claim: { S: rowKey('capture', orderId) } });
  }

  /** The rights the product's own calls needed, as `action@resource`. */
  async rightsUsed(): Promise<string[]> {
    const { Items = [] } = await this.database.send(new ScanCommand({ TableName: this.outputs.Runs }));
    return Items.map((item) => String(unmarshall(item).orderId))
      .filter((id) => id.startsWith('used:'))
      .map((id) => id.slice('used:'.length));
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

  /** Whether nothing waits and nothing is in flight. */
  async isIdle(queueUrl: string): Promise<boolean> {
    const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
    const command = new GetQueueAttributesCommand({
      QueueUrl: queueUrl,
      AttributeNames: [...AttributeNames],
    });
    const { Attributes = {} } = await this.queues.send(command);
    return AttributeNames.every((name) => Number(Attributes[name]) === 0);
  }

  close(): void {
    this.database.destroy();
    this.queues.destroy();
  }

  private async item(
    table: string,
    key: NonNullable<GetItemCommand['input']['Key']>,
  ): Promise<Item | undefined> {
    const command = new GetItemCommand({ TableName: table, Key: key, ConsistentRead: true });
    const { Item } = await this.database.send(command);
    return Item && unmarshall(Item);
  }
}

/** Asks until the answer is the one wanted; says the last one when it never comes. */
export async function eventually<Answer>(
  what: string,
  ask: () => Promise<Answer>,
  wanted: (answer: Answer) => boolean,
  withinSeconds = 60,
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
