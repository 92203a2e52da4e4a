import { App, Duration, Stack, Validations } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';
import { beforeEach, describe, expect, it } from 'vitest';
import { ClaimTable, IdempotentConsumer, IdempotentReceiver } from '../../infra/index.ts';
import { ShopStack } from '../../infra/shop-stack.ts';

/** An app under cdk-nag's AWS Solutions pack and CDK's own rules, without bundling its functions. */
function watchedApp(): App {
  const app = new App({
    context: { 'aws:cdk:bundling-stacks': [], '@aws-cdk/core:validateAgainstDefaultRules': true },
  });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return app;
}

const entry = 'test/infra/handlers/pay.ts';

beforeEach(() => {
  process.env.CDK_VALIDATION = 'true';
});

describe('the AWS Solutions rules and the rules of CloudFormation', () => {
  it('see a bad queue, so their silence about the rest means something', () => {
    const app = watchedApp();
    new Queue(new Stack(app, 'Bad'), 'Queue');
    expect(() => app.synth()).toThrow('AwsSolutions-SQS3');
  });

  it('have nothing to say about a consumer, plain, FIFO or under your keys', () => {
    const app = watchedApp();
    const stack = new Stack(app, 'Shop', { env: { region: 'eu-north-1' } });
    const encryptionKey = new Key(stack, 'Key', { enableKeyRotation: true });
    new IdempotentConsumer(stack, 'Plain', { entry });
    new IdempotentConsumer(stack, 'Fifo', { entry, fifo: true, metrics: true, scope: 'fifo' });
    const claimTable = new ClaimTable(stack, 'Claims', { encryptionKey });
    const keyed = new IdempotentConsumer(stack, 'Keyed', {
      entry,
      encryptionKey,
      claimTable,
      batchedClaims: true,
      maxBatchingWindow: Duration.seconds(5),
      reservedConcurrentExecutions: 5,
      maxConcurrency: 5,
    });
    keyed.grantFollowUps(keyed.deadLetterQueue);
    expect(() => app.synth()).not.toThrow();
  });

  it('have nothing to say about a receiver', () => {
    const app = watchedApp();
    const stack = new Stack(app, 'Shop');
    new IdempotentReceiver(stack, 'OnUrl', { entry });
    expect(() => app.synth()).not.toThrow();
  });

  it('have nothing to say about the example', () => {
    const app = watchedApp();
    new ShopStack(app, 'Example', { gatewayUrl: 'https://payments.example.com' });
    expect(() => app.synth()).not.toThrow();
  });
});
