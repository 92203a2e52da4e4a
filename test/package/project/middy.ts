import middy from '@middy/core';
import middy6 from 'middy6';
import { idempotentConsumer, idempotentReceiver, memoryClaims } from 'sqs-once';
import { sqsEvent } from 'sqs-once/testing';

const claims = memoryClaims();
const partialResponses = true;

const seven = idempotentConsumer<{ id: string }>({ scope: 'seven', claims, partialResponses });
const six = idempotentConsumer<{ id: string }>({ scope: 'six', claims, partialResponses });
const hook = idempotentReceiver<{ id: string }>({ scope: 'hook', caller: 'public', claims });

const ids: string[] = [];
const handlers = [
  middy()
    .use(seven)
    .handler(seven.eachMessage(({ body }) => ids.push(body.id))),
  middy6()
    .use(six)
    .handler(six.eachMessage(({ body }) => ids.push(body.id))),
];
export const webhook = middy()
  .use(hook)
  .handler(hook.eachRequest(({ body }) => ({ statusCode: 201, body: body.id })));

const event = sqsEvent([{ body: { id: 'A-17' } }]);
const context = { getRemainingTimeInMillis: () => 30_000 };
for (const handler of handlers) {
  for (const delivery of [1, 2]) {
    const answer = await handler(structuredClone(event) as never, context as never);
    if (answer.batchItemFailures.length > 0) throw new Error(`delivery ${delivery} was not acknowledged`);
  }
}
console.log(JSON.stringify(ids));
