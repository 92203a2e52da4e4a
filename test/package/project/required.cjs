const { consumeOnce, memoryClaims } = require('sqs-once');
const { sqsEvent } = require('sqs-once/testing');

let runs = 0;
const handler = consumeOnce({ scope: 'required', claims: memoryClaims(), partialResponses: true }, () => {
  runs += 1;
});

module.exports.done = (async () => {
  const event = sqsEvent([{ body: {} }]);
  await handler(event);
  await handler(event);
  console.log(JSON.stringify({ runs }));
})();
