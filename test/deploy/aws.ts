/**
 * The laws of the deployed consumer on AWS itself, and the questions its documentation leaves open.
 *
 *   AWS_PROFILE=… AWS_REGION=… npm run test:aws
 *
 * Costs a few cents. The account and Region must be bootstrapped for the CDK. Everything deployed is destroyed
 * at the end, the claim table too. Without credentials it says so and ends with 0; that is not a pass, and it
 * says that too.
 */
import { SQSClient } from '@aws-sdk/client-sqs';
import { runCheck } from './check.ts';
import type { Deployment } from './deployment.ts';
import { openQuestions } from './questions.ts';

async function main(): Promise<void> {
  const missing = await whatIsMissing();
  if (missing !== undefined) {
    console.log(`test:aws did not run: ${missing}. This is not a pass.`);
    return;
  }
  await runCheck({
    surroundings: {},
    endpoint: undefined,
    context: { ephemeral: 'true' },
    beforeDestroy: ask,
  });
}

async function whatIsMissing(): Promise<string | undefined> {
  // A machine's own role must not be spent by a test that somebody tried out.
  process.env.AWS_EC2_METADATA_DISABLED ??= 'true';
  const client = new SQSClient();
  try {
    await client.config.credentials();
    await client.config.region();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    client.destroy();
  }
}

async function ask(deployment: Deployment): Promise<void> {
  for (const [question, answer] of openQuestions) {
    const said = await answer(deployment).catch((error: unknown) => `no answer: ${error}`);
    console.log(`? ${question}\n  ${said}`);
  }
}

await main();
