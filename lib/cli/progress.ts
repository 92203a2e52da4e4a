import { progress } from '@clack/prompts';

export interface Progress {
  /** One more, and what there is to say now. */
  advance(text: string): void;
  end(): void;
}

/** A bar on a terminal, and nothing where there is none or where a document is asked for. */
export function startProgress(total: number, { json }: { readonly json?: true }): Progress {
  if (json || !process.stderr.isTTY || total === 0) return { advance() {}, end() {} };
  const bar = progress({ max: total, output: process.stderr });
  let last = '';
  bar.start('');
  return {
    advance(text) {
      last = text;
      bar.advance(1, text);
    },
    end: () => bar.stop(last),
  };
}
