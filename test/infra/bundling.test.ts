import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { App, Stack } from 'aws-cdk-lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IdempotentConsumer } from '../../infra/index.ts';
import './stack.ts';

/** What esbuild tells about a bundle. */
interface Metafile {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, { readonly imports: readonly { readonly path: string }[] }>>;
}

let assembly: string;
let asset: string;
let files: readonly string[];
let imported: readonly string[];

beforeAll(() => {
  // Set by `npm exec -c`, and read by the CDK's `npx esbuild` as its own.
  delete process.env.npm_config_call;
  // Inside the repository, where Node finds the SDK that Lambda's runtime would bring.
  const app = new App({ outdir: join('cdk.out', 'bundling.test') });
  new IdempotentConsumer(new Stack(app, 'Shop'), 'Payments', {
    entry: 'handlers/capture-payment.ts',
    bundling: { metafile: true },
  });
  assembly = app.synth().directory;
  asset = join(assembly, readdirSync(assembly).find((name) => name.startsWith('asset.')) ?? '');
  const meta: Metafile = JSON.parse(readFileSync(join(asset, 'index.meta.json'), 'utf8'));
  files = Object.keys(meta.inputs);
  imported = Object.values(meta.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
}, 60_000);

afterAll(() => rmSync(assembly, { recursive: true, force: true }));

/** The copies of a package in the bundle, by their folders. */
function copiesOf(name: string): string[] {
  const folders = files.flatMap((file) => new RegExp(`^.*node_modules/${name}/`).exec(file)?.[0] ?? []);
  return [...new Set(folders)];
}

describe('the bundle of a consumer', () => {
  it('has no CDK and no emulator in it', () => {
    for (const name of ['aws-cdk-lib', 'constructs', 'fauxqs', '@dynoxide', 'commander']) {
      expect(copiesOf(name)).toEqual([]);
    }
    expect(files.filter((file) => /^(infra|lib\/(local|cli))\//.test(file))).toEqual([]);
  });

  it('has Middy in it once', () => {
    expect(copiesOf('@middy/core')).toHaveLength(1);
  });

  it("leaves the SDK to Lambda's runtime", () => {
    expect(copiesOf('@aws-sdk/client-sqs')).toEqual([]);
    expect(imported).toContain('@aws-sdk/client-sqs');
  });

  it('is an ES module that Node loads, up to the first setting it misses', () => {
    const load = `import(${JSON.stringify(pathToFileURL(join(asset, 'index.mjs')))}).catch(({ message }) => console.log(message))`;
    const said = execFileSync(process.execPath, ['--eval', load], { env: { PATH: process.env.PATH } });
    expect(String(said)).toContain('is not set');
  });
});
