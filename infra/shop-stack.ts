import { Duration, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { BundlingOptions } from 'aws-cdk-lib/aws-lambda-nodejs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { CarrierWebhook } from './carrier-webhook.ts';
import { ClaimTable, IdempotentConsumer } from './index.ts';

export interface ShopStackProps extends StackProps {
  /** Where the payment gateway answers. */
  readonly gatewayUrl: string;
  /** Options for esbuild, over the construct's. */
  readonly bundling?: BundlingOptions;
}

/** Orders are captured, events move payments through their states, receipts go out, parcels are reported: each once. */
export class ShopStack extends Stack {
  readonly payments: IdempotentConsumer;
  readonly events: IdempotentConsumer;
  readonly receipts: IdempotentConsumer;
  readonly carrier: CarrierWebhook;
  readonly tables: Readonly<Record<'captures' | 'balances' | 'payments' | 'receipts', TableV2>>;

  constructor(scope: Construct, id: string, props: ShopStackProps) {
    super(scope, id, props);
    const shared = {
      claimTable: new ClaimTable(this, 'Claims'),
      alarmTopic: new Topic(this, 'OnCall', { enforceSSL: true }),
      ...(props.bundling && { bundling: props.bundling }),
    };
    this.tables = {
      captures: this.table('Captures', 'captureId'),
      balances: this.table('Balances', 'merchantId'),
      payments: this.table('Payments', 'orderId'),
      receipts: this.table('ReceiptsSent', 'orderId'),
    };
    this.receipts = new IdempotentConsumer(this, 'SendReceipt', {
      entry: 'handlers/send-receipt.ts',
      environment: { RECEIPTS_TABLE: this.tables.receipts.tableName },
      ...shared,
    });
    this.events = new IdempotentConsumer(this, 'PaymentEvents', {
      entry: 'handlers/payment-events.ts',
      environment: {
        PAYMENTS_TABLE: this.tables.payments.tableName,
        BALANCES_TABLE: this.tables.balances.tableName,
        RECEIPTS_QUEUE_URL: this.receipts.queue.queueUrl,
      },
      claim: 'with-commit',
      maxAttempts: 10,
      ...shared,
    });
    this.payments = new IdempotentConsumer(this, 'CapturePayment', {
      entry: 'handlers/capture-payment.ts',
      environment: {
        CAPTURES_TABLE: this.tables.captures.tableName,
        BALANCES_TABLE: this.tables.balances.tableName,
        PAYMENT_EVENTS_QUEUE_URL: this.events.queue.queueUrl,
        GATEWAY_URL: props.gatewayUrl,
      },
      effectKeyLifetime: Duration.days(1),
      ...shared,
    });
    Validations.of(this.payments).acknowledge({
      id: 'sqs-once:effectKeyLifetime',
      reason:
        'The handler passes lifetimeSeconds, so an attempt after a day parks instead of charging again.',
    });
    this.carrier = new CarrierWebhook(this, 'Carrier', shared);
    this.grantWork();
  }

  private grantWork(): void {
    const { captures, balances, payments, receipts } = this.tables;
    this.payments.grantCommit(captures);
    this.payments.grantCommit(balances);
    this.payments.grantFollowUps(this.events.queue);
    this.events.grantCommit(payments);
    this.events.grantCommit(balances);
    this.events.grantFollowUps(this.receipts.queue);
    this.receipts.grantCommit(receipts);
  }

  private table(id: string, partitionKey: string): TableV2 {
    return new TableV2(this, id, {
      partitionKey: { name: partitionKey, type: AttributeType.STRING },
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    });
  }
}
