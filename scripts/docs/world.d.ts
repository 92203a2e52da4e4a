// What excerpts take for granted: the reader's own code, by the names the pages use for it.
import type { SQSEvent as LambdaEvent } from 'aws-lambda';
import type { Attempt, ReceiverMiddleware, SqsRecord } from '../../lib/index.ts';

declare global {
  type SQSEvent = LambdaEvent;
  interface OrderShape {
    orderId: string;
    amountCents: number;
    currency: string;
  }

  const Order: import('zod').ZodType<OrderShape>;
  const CapturePayment: import('zod').ZodType<OrderShape>;
  const ParcelEvent: import('zod').ZodType<{ eventId: string; parcelId: string }>;
  const order: OrderShape;
  const attempt: Attempt;
  const record: SqsRecord;
  const event: LambdaEvent & import('../../lib/index.ts').SqsEvent;
  const handler: (
    event: unknown,
    context?: unknown,
  ) => Promise<import('../../lib/index.ts').SqsBatchResponse>;
  const existingHandler: (event: LambdaEvent) => Promise<void>;
  const response: { readonly status: number };
  const capture: (order: unknown) => Promise<{ id: string }>;
  const gateway: {
    capture(
      order: unknown,
      options: { idempotencyKey: string; signal?: AbortSignal },
    ): Promise<{ id: string }>;
  };
  const mailer: { send(mail: unknown, options: { idempotencyKey: string }): Promise<void> };
  const tracer: { addEvent(name: string, attributes: object): void };
  const receipts: string;
  const orders: string;
  const carrierEvents: string;
  const CarrierEvent: import('zod').ZodType<{ eventId: string }>;
  const tenantOf: (request: import('../../lib/index.ts').HttpRequest) => string | undefined;
  const createServer: typeof import('node:http').createServer;
  const parcelEvents: string;
  const assert: typeof import('node:assert/strict');

  // What the pages about deployment have around them.
  const scope: import('constructs').Construct;
  const Construct: typeof import('constructs').Construct;
  const Duration: typeof import('aws-cdk-lib').Duration;
  const Queue: typeof import('aws-cdk-lib/aws-sqs').Queue;
  const HttpMethod: typeof import('aws-cdk-lib/aws-apigatewayv2').HttpMethod;
  const checkout: import('aws-cdk-lib/aws-iam').IGrantable;
  const onCall: import('aws-cdk-lib/aws-sns').ITopic;
  const fn: import('aws-cdk-lib/aws-lambda').IFunction;
  const httpApi: import('aws-cdk-lib/aws-apigatewayv2').HttpApi;
  const DynamoDBClient: typeof import('@aws-sdk/client-dynamodb').DynamoDBClient;
  const SQSClient: typeof import('@aws-sdk/client-sqs').SQSClient;

  // The webhook of docs/webhooks.md.
  const secret: string;
  const verifySignature: typeof import('../../handlers/verify-signature.ts').verifySignature;
  const webhook: ReceiverMiddleware<unknown>;

  interface Around {
    receipts: import('aws-cdk-lib/aws-sqs').IQueue;
    captures: import('aws-cdk-lib/aws-dynamodb').TableV2;
    claims: import('../../infra/index.ts').ClaimTable;
    claimTable: import('../../infra/index.ts').IClaimTable;
    queue: import('aws-cdk-lib/aws-sqs').IQueue;
    deadLetterQueue: import('aws-cdk-lib/aws-sqs').IQueue;
    parcels: import('../../infra/index.ts').IdempotentConsumer;
  }

  // The durable function of docs/guide.md, started by a consumer.
  const lambda: import('@aws-sdk/client-lambda').LambdaClient;
  const InvokeCommand: typeof import('@aws-sdk/client-lambda').InvokeCommand;

  const aws: import('../../lib/testing.ts').LocalAws;
  const queueUrl: string;
}
