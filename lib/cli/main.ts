#!/usr/bin/env node
import { refusedNode } from './node-version.ts';

// Nothing else is imported before this is known: an older Node may not even link what the program is made of.
const refusal = refusedNode(process.versions.node);
if (refusal === undefined) {
  const { runProgram } = await import('./program.ts');
  await runProgram();
} else {
  console.error(refusal);
  process.exitCode = 1;
}
