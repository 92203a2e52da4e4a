// One dependency brought its own copy of the package along: errors and claims of one, a consumer of the other.
import * as one from 'sqs-once';
import { memorySqs, sqsEvent } from 'sqs-once/testing';
import * as other from 'sqs-once-again';

const seen = [];
const claims = other.memoryClaims();
const common = {
  claims,
  sqs: memorySqs(),
  partialResponses: true,
  observers: [({ type }) => seen.push(type)],
};
const event = (id) => sqsEvent([{ body: {}, messageId: id }]);
const typesOf = async (work) => {
  seen.length = 0;
  await work();
  return seen.filter((type) => ['completed', 'duplicate', 'parked', 'deferred'].includes(type));
};

const poisonous = one.consumeOnce({ ...common, scope: 'poison' }, () => {
  throw new other.PoisonMessageError('never');
});
const patient = one.consumeOnce({ ...common, scope: 'later' }, () => {
  throw new other.RetryLaterError({ afterSeconds: 5 });
});
const first = one.consumeOnce({ ...common, scope: 'shared' }, () => 'done');
const second = other.consumeOnce({ ...common, scope: 'shared' }, () => 'done again');

console.log(
  JSON.stringify({
    poison: await typesOf(() => poisonous(event('p'))),
    later: await typesOf(() => patient(event('l'))),
    first: await typesOf(() => first(event('s'))),
    second: await typesOf(() => second(event('s'))),
    refused: (() => {
      try {
        other.consumeOnce({ scope: '' }, () => {});
      } catch (error) {
        return error.name;
      }
    })(),
  }),
);
