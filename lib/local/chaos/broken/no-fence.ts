import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { consumeOnce, type DynamoClient, dynamoClaims } from '../../../index.ts';
import { pay, paymentOptions } from '../payment.ts';

const client = new DynamoDBClient();

/** A client that makes every write of a claim's holder land, whoever has the claim by now. */
const withoutFences: DynamoClient = {
  send(command, options) {
    const { input } = command;
    unfence(input);
    for (const item of input.TransactItems ?? []) unfence(item.Update ?? {});
    return client.send(command, options);
  },
};

/** Always true, and yet it uses every placeholder, as DynamoDB demands. */
function unfence(write: { ConditionExpression?: string }): void {
  const condition = write.ConditionExpression;
  if (condition?.includes(':heldFence')) write.ConditionExpression = `(${condition}) OR NOT (${condition})`;
}

/** The built-in consumer without the fence. */
export const handler = consumeOnce(
  { ...paymentOptions, claims: dynamoClaims({ client: withoutFences }) },
  pay,
);
