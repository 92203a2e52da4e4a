// npm run poison: the figures at full size, on real worker processes. Two minutes on two cores.
import { amongNeighbours } from './neighbours.ts';
import { theWayBack } from './way-back.ts';

const full = { messages: 2_000, poison: 100, kills: 40, workers: 4, maxAttempts: 5 };

const startedAt = performance.now();
const neighbours = await amongNeighbours(full.maxAttempts);
console.log('One message that ends its worker among nine good ones:');
console.table([{ ...neighbours, parked: neighbours.parked.join(', ') }]);

const { redrives, before, after, ...rest } = await theWayBack(full);
console.log(
  `${full.messages} messages, ${full.poison} of them poison, ${rest.kills} workers killed, ${rest.runs} runs:`,
);
console.table({ 'before the redrive': rowOf(before), 'after it': rowOf(after) });
console.table(redrives.map(({ ended, code, left }) => ({ redrive: ended, code, 'left in the queue': left })));
for (const divergence of [...before.divergences, ...after.divergences]) console.log(divergence);
console.log(`${Math.round((performance.now() - startedAt) / 1_000)} s`);

const asPromised =
  neighbours.parked.length === 1 &&
  neighbours.mostAttemptsOfGoodOnes <= 2 &&
  before.parked === full.poison &&
  before.distinctDeadLetters === full.poison &&
  before.completed === full.messages - full.poison &&
  after.completed === full.messages &&
  after.deadLetters === 0 &&
  before.divergences.length + after.divergences.length === 0;
if (!asPromised) process.exitCode = 1;

function rowOf({ divergences, ...counts }: typeof before) {
  return { ...counts, divergences: divergences.length };
}
