import { App } from 'aws-cdk-lib';
import { ShopStack } from '../../infra/shop-stack.ts';
import { plainAlarms, tell } from './stack.ts';

const app = new App();
const stack = new ShopStack(app, 'SqsOnceShop', {
  gatewayUrl: app.node.tryGetContext('gatewayUrl'),
  bundling: { bundleAwsSDK: true },
});
plainAlarms(stack);
tell(stack, {
  Orders: stack.payments.queue.queueUrl,
  Parked: stack.payments.deadLetterQueue.queueUrl,
  Events: stack.events.queue.queueUrl,
  ReceiptQueue: stack.receipts.queue.queueUrl,
  Captures: stack.tables.captures.tableName,
  Balances: stack.tables.balances.tableName,
  Payments: stack.tables.payments.tableName,
  Receipts: stack.tables.receipts.tableName,
  ParcelEvents: stack.carrier.parcelEvents.queueUrl,
  Webhook: stack.carrier.receiver.url ?? '',
});
