import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';

/** The page's program and its looks, and what went into them. */
export interface PageAssets {
  readonly script: string;
  readonly styles: string;
}

// The charts' licences ask to be named in every copy of their code.
const notice = `/*!
 * Charts: Apache ECharts, Copyright 2017-2025 The Apache Software Foundation, Apache License 2.0,
 * https://www.apache.org/licenses/LICENSE-2.0. Drawing: zrender, Copyright 2017 Baidu Inc., BSD 3-Clause,
 * https://github.com/ecomfe/zrender/blob/master/LICENSE. Both are provided as they are, without warranty.
 */`;

/** Makes one script and one style sheet of the page's sources. */
export async function bundlePage(): Promise<PageAssets & { readonly metafile: Metafile }> {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL('./page/main.ts', import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    outdir: 'page',
    format: 'iife',
    target: 'es2022',
    banner: { js: notice },
    metafile: true,
  });
  const endingIn = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  return { script: endingIn('.js'), styles: endingIn('.css'), metafile };
}
