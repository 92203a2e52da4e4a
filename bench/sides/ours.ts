import { type ConsumerOptions, consumeOnce, dynamoClaims } from '../../lib/index.ts';
import { lambdaContext, type Order, type Side } from './side.ts';

/** The same consumer with one option more. */
function sideWith(
  name: string,
  { batching = false, ...more }: { readonly batching?: boolean } & Pick<ConsumerOptions<Order>, 'claim'>,
): Side {
  return {
    name,
    table: 'claims',
    partitionKey: 'claim',
    open(client, work) {
      const handler = consumeOnce<Order>(
        {
          scope: 'bench',
          claims: dynamoClaims({ client, tableName: 'claims', batching }),
          sqs: silentSqs,
          queueUrl: 'http://127.0.0.1/000000000000/bench',
          key: ({ body }) => body.orderId,
          partialResponses: true,
          ...more,
        },
        ({ body }) => work(body),
      );
      return (event) => handler(event, lambdaContext);
    },
  };
}

/** Takes every visibility change; the peer makes none. */
const silentSqs = { send: async () => ({}) };

export const ours = sideWith('sqs-once', {});
export const oursBatched = sideWith('sqs-once, batching', { batching: true });
export const oursWithCommit = sideWith('sqs-once, with-commit', { claim: 'with-commit' });
