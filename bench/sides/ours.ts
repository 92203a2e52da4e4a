import { consumeOnce, dynamoClaims } from '../../lib/index.ts';
import { lambdaContext, type Order, type Side } from './side.ts';

export const ours: Side = {
  name: 'sqs-once',
  table: 'claims',
  partitionKey: 'claim',
  open(client, work) {
    const handler = consumeOnce<Order>(
      {
        scope: 'bench',
        claims: dynamoClaims({ client, tableName: 'claims' }),
        sqs: silentSqs,
        queueUrl: 'http://127.0.0.1/000000000000/bench',
        key: ({ body }) => body.orderId,
        partialResponses: true,
      },
      ({ body }) => work(body),
    );
    return (event) => handler(event, lambdaContext);
  },
};

export const oursWithCommit: Side = {
  ...ours,
  name: 'sqs-once, with-commit',
  open(client, work) {
    const handler = consumeOnce<Order>(
      {
        scope: 'bench',
        claims: dynamoClaims({ client, tableName: 'claims' }),
        sqs: silentSqs,
        queueUrl: 'http://127.0.0.1/000000000000/bench',
        key: ({ body }) => body.orderId,
        claim: 'with-commit',
        partialResponses: true,
      },
      ({ body }) => work(body),
    );
    return (event) => handler(event, lambdaContext);
  },
};

/** Takes every visibility change; the peer makes none. */
const silentSqs = { send: async () => ({}) };
