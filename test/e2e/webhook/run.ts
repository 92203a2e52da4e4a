// npm run load:webhook: the receiver under load at full size. About a minute on two cores.
import { loadTheShop } from './load.ts';

const plan = { requests: 4_000, connections: 32, duplicates: 0.3, kills: 4, seed: 7 };

const { answers, ...report } = await loadTheShop(plan);
console.table(report);
console.table(answers);
const asPromised =
  report.effects === report.distinctKeys && report.doubleEffects === 0 && report.contradictions === 0;
if (!asPromised) process.exitCode = 1;
