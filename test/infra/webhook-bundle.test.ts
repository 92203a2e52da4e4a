// The webhook program goes through its construct as it stands, and loads where Lambda would load it.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { FunctionUrlAuthType } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IdempotentReceiver } from '../../infra/index.ts';
import './stack.ts';

let assembly: string;
let template: Template;
let files: readonly string[];

beforeAll(() => {
  // Set by `npm exec -c`, and read by the CDK's `npx esbuild` as its own.
  delete process.env.npm_config_call;
  const app = new App({ outdir: join('cdk.out', 'webhook-bundle.test') });
  const stack = new Stack(app, 'Shop');
  const queue = new Queue(stack, 'ParcelEvents');
  const webhook = new IdempotentReceiver(stack, 'Webhook', {
    entry: 'handlers/webhook.ts',
    environment: { PARCEL_EVENTS_QUEUE_URL: queue.queueUrl },
    urlAuthType: FunctionUrlAuthType.AWS_IAM,
    bundling: { metafile: true },
  });
  webhook.grantFollowUps(queue);
  template = Template.fromStack(stack);
  assembly = app.synth().directory;
  const asset = readdirSync(assembly).find((name) => name.startsWith('asset.')) ?? '';
  files = Object.keys(JSON.parse(readFileSync(join(assembly, asset, 'index.meta.json'), 'utf8')).inputs);
}, 60_000);

afterAll(() => rmSync(assembly, { recursive: true, force: true }));

describe('the webhook', () => {
  it('has its queue in its environment and its answers kept a day', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: { PARCEL_EVENTS_QUEUE_URL: {}, SQS_ONCE_RETENTION_SECONDS: '86400' },
      },
    });
  });

  it('has neither Middy nor CDK nor emulators in its bundle', () => {
    expect(files).toContain('handlers/webhook.ts');
    expect(
      files.filter((file) => /@middy|aws-cdk-lib|fauxqs|^(infra|lib\/(local|cli))\//.test(file)),
    ).toEqual([]);
  });
});
