import { chmodSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

// The command line in one folder, its libraries inside, so that nobody who installs the package installs
// them. The AWS SDK stays outside: it is the user's. The programs of child processes are files of their own,
// beside main.js, where lib/local/entry-file.ts looks for them.
const folder = 'dist/cli';
const programs = ['guardian-process', 'fauxqs-process', 'worker-process'];

rmSync(folder, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: ['lib/cli/main.ts', ...programs.map((name) => `lib/local/${name}.ts`)],
  outdir: folder,
  entryNames: '[name]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  external: ['@aws-sdk/*', '@smithy/*', '@middy/core', 'aws-cdk-lib', 'constructs'],
  // Bundled CommonJS libraries still ask for Node's own modules by require.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
  sourcemap: true,
  metafile: true,
});
chmodSync(`${folder}/main.js`, 0o755);
writeFileSync(`${folder}/LICENSES.txt`, licencesOf(Object.keys(metafile.inputs)));

/** The bundled libraries' licences, which ask to travel with every copy. */
function licencesOf(files) {
  const found = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  const packages = [...new Set(found.filter((name) => name !== undefined))].sort();
  return packages
    .map((name) => {
      const [licence] = globSync(`${name}/{LICEN[CS]E,licen[cs]e}*`);
      if (licence === undefined) throw new Error(`${name} is bundled and has no licence file`);
      return `${name.replace(/^.*node_modules\//, '')}\n\n${readFileSync(licence, 'utf8').trim()}\n`;
    })
    .join('\n----\n\n');
}
