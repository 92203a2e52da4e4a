import { chmodSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { bundlePage } from '../lib/local/report/bundle-page.ts';

// The command line in one folder, its libraries inside, so that nobody who installs the package installs
// them. The peers stay outside: they are the user's. Of AWS's SDK, what only `doctor` asks comes along. The
// programs of child processes are files of their own, beside main.js, where lib/local/entry-file.ts looks.
const folder = 'dist/cli';
const { peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const external = Object.keys(peerDependencies);
const programs = [
  'guardian-process',
  'fauxqs-process',
  'worker-process',
  'gateway-process',
  'chaos/instrument',
  'chaos/lossy-proxy-process',
  'chaos/payments',
  'chaos/payments-batched',
  'chaos/broken/ack-first',
  'chaos/broken/no-claims',
  'chaos/broken/no-fence',
];

rmSync(folder, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: {
    main: 'lib/cli/main.ts',
    ...Object.fromEntries(programs.map((name) => [name, `lib/local/${name}.ts`])),
  },
  outdir: folder,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  // The report's page is bundled here and not on the spot, as it is where the sources run.
  external: [...external, 'esbuild'],
  // Bundled CommonJS libraries still ask for Node's own modules by require.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
  metafile: true,
});
chmodSync(`${folder}/main.js`, 0o755);
const page = await bundlePage();
writeFileSync(`${folder}/report-page.js`, page.script);
writeFileSync(`${folder}/report-page.css`, page.styles);
const inputs = [metafile, page.metafile].flatMap(({ inputs }) => Object.keys(inputs));
writeFileSync(`${folder}/LICENSES.txt`, licencesOf(inputs));

/** The bundled libraries' licences, which ask to travel with every copy. */
function licencesOf(files) {
  const found = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  const packages = [...new Set(found.filter((name) => name !== undefined))].sort();
  return packages
    .map((name) => `${name.replace(/^.*node_modules\//, '')}\n\n${licenceOf(name).trim()}\n`)
    .join('\n----\n\n');
}

/** A few of AWS's packages leave the file out; its text is there under their siblings' names. */
function licenceOf(name) {
  const [file] = globSync(`${name}/{LICEN[CS]E,licen[cs]e}*`);
  if (file !== undefined) return readFileSync(file, 'utf8');
  const { license, author } = JSON.parse(readFileSync(`${name}/package.json`, 'utf8'));
  if (license !== 'Apache-2.0') throw new Error(`${name} is bundled and has no licence file`);
  return `${license}, ${typeof author === 'string' ? author : author?.name}`;
}
