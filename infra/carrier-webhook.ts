import type { BundlingOptions } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type IClaimTable, IdempotentReceiver } from './index.ts';

export interface CarrierWebhookProps {
  readonly claimTable: IClaimTable;
  readonly alarmTopic: ITopic;
  readonly bundling?: BundlingOptions;
}

/** A carrier reports what became of a parcel; each report is put into a queue once. Whoever needs them consumes it. */
export class CarrierWebhook extends Construct {
  readonly parcelEvents: Queue;
  readonly receiver: IdempotentReceiver;

  constructor(scope: Construct, id: string, props: CarrierWebhookProps) {
    super(scope, id);
    const deadLetterQueue = new Queue(this, 'ParcelEventsDead', { enforceSSL: true });
    this.parcelEvents = new Queue(this, 'ParcelEvents', {
      enforceSSL: true,
      deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: 50 },
    });
    this.receiver = new IdempotentReceiver(this, 'Receiver', {
      entry: 'handlers/webhook.ts',
      environment: { PARCEL_EVENTS_QUEUE_URL: this.parcelEvents.queueUrl },
      ...props,
    });
    this.receiver.grantFollowUps(this.parcelEvents);
  }
}
