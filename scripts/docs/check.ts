// `npm run docs:check`: what the pages say is so. Links lead somewhere, programs and the sources' examples
// compile, commands exist with the options they are shown with.
import { brokenCommands } from './commands.ts';
import { brokenLinks } from './links.ts';
import { blocks, pages } from './pages.ts';
import { complaints, programs } from './programs.ts';

const found = pages();
const shown = programs(found);
const wrong = [...found.flatMap(brokenLinks), ...brokenCommands(found.flatMap(blocks)), ...complaints(shown)];
for (const line of wrong) console.error(line);
console.log(`${found.length} pages, ${shown.length} programs and examples, ${wrong.length} complaints`);
if (wrong.length > 0) process.exitCode = 1;
