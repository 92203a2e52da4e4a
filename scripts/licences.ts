// `npm run licences`: the SPDX licence of everything that is installed here, and what of it reaches a user.
import { readFileSync } from 'node:fs';

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
}

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Readonly<Record<string, Locked>> };
const { dependencies, peerDependencies } = JSON.parse(read('package.json')) as {
  dependencies: Readonly<Record<string, string>>;
  peerDependencies: Readonly<Record<string, string>>;
};

/** Licences that ask for no more than to be named. */
const fine = /^\(?(MIT|MIT-0|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|MPL-2\.0|Unlicense)\b/;

/** Somebody looked at these. None reaches a user: they are there to check and to make the documentation. */
const lookedAt: Readonly<Record<string, string>> = {
  argparse: 'Python-2.0, permissive; behind TypeDoc',
  elkjs: 'EPL-2.0, used unchanged and not passed on; behind Mermaid',
  khroma: 'MIT by the file it ships, its package.json says nothing; behind Mermaid',
};

const installed = Object.entries(packages).flatMap(([path, { version = '', license = 'none', link }]) => {
  const name = path.split('node_modules/').at(-1) ?? '';
  return path.includes('node_modules/') && !link ? [{ name, version, license }] : [];
});

function roleOf(name: string): string | undefined {
  if (name in dependencies) return 'dependency';
  return name in peerDependencies ? 'peer' : undefined;
}

console.log('Installed with the package, or beside it:\n');
for (const { name, version, license } of installed) {
  const role = roleOf(name);
  if (role !== undefined) console.log(`  ${license.padEnd(12)} ${role.padEnd(11)} ${name} ${version}`);
}
console.log(
  '\nInside the command line: dist/cli/LICENSES.txt, in full.\n\nEverything, development included:\n',
);
const byLicence = Map.groupBy(installed, ({ license }) => license);
for (const [license, those] of [...byLicence].toSorted((one, other) => other[1].length - one[1].length)) {
  const named = those.length > 12 ? '' : `  ${[...new Set(those.map(({ name }) => name))].join(', ')}`;
  console.log(`  ${String(those.length).padStart(4)}  ${license}${named}`);
}
console.log('\nLooked at one by one:\n');
for (const [name, what] of Object.entries(lookedAt)) console.log(`  ${name}: ${what}`);
const strange = installed.filter(({ license }) => !fine.test(license)).map(({ name }) => name);
const wrong = [
  ...strange.filter((name) => !(name in lookedAt)).map((name) => `${name}: look at its licence`),
  ...Object.keys(lookedAt)
    .filter((name) => !strange.includes(name))
    .map((name) => `${name} is not installed any more, or is fine now`),
];
for (const line of wrong) console.error(line);
if (wrong.length > 0) process.exitCode = 1;
