// `npm run docs:check`: what the pages say is so. Links lead somewhere, names and files exist and none that is
// public is left untold, programs and the sources' examples compile, diagrams can be drawn, and every command shown is run, here or where scripts/docs/plan.ts says.
import { brokenCommands } from './commands.ts';
import { brokenDiagrams, diagrams } from './diagrams.ts';
import { brokenLinks } from './links.ts';
import { pages } from './pages.ts';
import { drawDiagrams } from './pictures.ts';
import { planned } from './plan.ts';
import { complaints, programs } from './programs.ts';
import { untoldNames } from './public-names.ts';
import { runShown } from './run.ts';
import { namelessBlocks, shownCommands, spokenCommands } from './shown.ts';
import { unknownNames, unusedForeignNames } from './told-names.ts';

const found = pages();
const shown = programs(found);
const commands = found.flatMap(shownCommands);
const spoken = found.flatMap(spokenCommands);
const scripts = spoken.filter(({ command }) => !/^(npx )?sqs-once/.test(command));
const plan = planned([...commands, ...scripts]);
const run = await runShown(plan.ways, found);
const drawings = diagrams(found);

const wrong = [
  ...found.flatMap(brokenLinks),
  ...found.flatMap(namelessBlocks),
  ...unknownNames(found),
  ...unusedForeignNames(found),
  ...untoldNames(found),
  ...brokenCommands([...commands, ...spoken]),
  ...plan.complaints,
  ...complaints(shown),
  ...run.complaints,
  ...(await brokenDiagrams(drawings)),
  ...(await drawDiagrams(drawings)),
];
for (const line of wrong) console.error(line);
console.log(
  `${found.length} pages, ${shown.length} programs and examples, ${drawings.length} diagrams, ${commands.length + scripts.length} commands of which ${run.ran} were run here, ${wrong.length} complaints`,
);
if (wrong.length > 0) process.exitCode = 1;
