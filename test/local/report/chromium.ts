import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** A Chromium of this machine, if there is one. */
export const chromium = (process.env.PATH ?? '')
  .split(delimiter)
  .flatMap((folder) => names.map((name) => join(folder, name)))
  .find((file) => existsSync(file));

/** Why tests that need one are skipped. */
export const whyNot =
  chromium === undefined ? ' (skipped: no chromium on PATH; Debian has it as a package)' : '';
