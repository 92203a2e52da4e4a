import { once } from 'node:events';
import { styleText } from 'node:util';
import { Command } from 'commander';
import { startShop } from '../local/webhook-demo/shop.ts';
import { numberOption } from './number-option.ts';
import { errorText } from './visible.ts';

// npm run demo:webhook: a shop behind node:http with a real table and a real queue, to be asked with curl.
// docs/webhooks.md has the commands. A script of the repository and no command of the package.

const program = new Command('demo:webhook')
  .description('Serves a shop whose orders are created once per Idempotency-Key, until Ctrl-C.')
  .option('--port <number>', 'where it listens, on loopback; 0 takes a free one', numberOption, 8080)
  .action(async ({ port }: { port: number }) => {
    const shop = await startShop({ port, onTold: (line) => console.log(styleText('dim', `  ${line}`)) });
    console.log(`The shop is open on http://127.0.0.1:${shop.port}. Try:\n`);
    console.log(
      `  curl -i 127.0.0.1:${shop.port}/orders -H 'x-tenant: ann' -H 'idempotency-key: order-1' -d '{"sku":"cup"}'\n`,
    );
    console.log('once more, and then what docs/webhooks.md has. Ctrl-C closes it.\n');
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
    await shop.stop();
  });

try {
  await program.parseAsync();
} catch (error) {
  console.error(errorText(error));
  process.exitCode = 2;
}
