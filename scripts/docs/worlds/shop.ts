/** A stack called Shop with a consumer called Payments, as `cdk synth` leaves it. */
export async function synthesizeShop(outdir: string): Promise<void> {
  // CDK's own check of whole templates takes longer than everything else here.
  process.env.CDK_VALIDATION = 'false';
  const { App, Stack } = await import('aws-cdk-lib');
  const { Code, Function: LambdaFunction, Runtime } = await import('aws-cdk-lib/aws-lambda');
  const { IdempotentConsumer } = await import('../../../infra/index.ts');
  const app = new App({ outdir });
  const stack = new Stack(app, 'Shop');
  const work = new LambdaFunction(stack, 'Work', {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline('exports.handler = async () => {};'),
  });
  new IdempotentConsumer(stack, 'Payments', { function: work });
  app.synth();
}
