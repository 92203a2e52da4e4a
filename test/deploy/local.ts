/**
 * Deploys the construct for real, without AWS: the CDK's own command line against ministack, a whole AWS on
 * loopback with Lambda processes and an event source mapping of its own. A second opinion about everything
 * our own runner does.
 *
 *   npm run test:deploy
 *
 * What ministack does not have, met here: alarms over expressions (the two are deployed as plain ones), a
 * Lambda runtime with the SDK in it (it is bundled), IAM's judgement (rights are compared with the calls that
 * were made; its simulation of a role it does have), a table's TTL, backups and protection at deployment (they are
 * switched on by hand for the doctor, who then has nothing to say), `getRemainingTimeInMillis` (always 300,000), FIFO attributes in records, host names of function URLs
 * (served under a path).
 *
 * Without Python 3.10 or PyPI it says so and ends with 0; that is not a pass, and it says that too.
 */
import assert from 'node:assert/strict';
import { Cdk } from './cdk.ts';
import { consumerApp, runCheck } from './check.ts';
import type { Deployment } from './deployment.ts';
import { holdDoctor } from './doctor/check.ts';
import { runExample } from './example.ts';
import { CannotRun, type Ministack, startMinistack } from './ministack.ts';
import { step } from './step.ts';

async function main(): Promise<void> {
  const ministack = await startMinistack();
  try {
    await check(ministack);
  } finally {
    await ministack.stop();
  }
}

async function check({ endpoint }: Ministack): Promise<void> {
  const surroundings = {
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_REGION: 'us-east-1',
    AWS_DEFAULT_REGION: 'us-east-1',
    CDK_DISABLE_VERSION_CHECK: 'true',
  };
  Object.assign(process.env, surroundings);
  const context = { plainAlarms: 'true' };
  await step('cdk bootstrap', () => new Cdk(consumerApp, surroundings).bootstrap(context));
  const consumer = {
    surroundings,
    endpoint,
    context,
    beforeDestroy: holdDoctor,
    afterDestroy: claimsAreKept,
  };
  // Side by side: most of the time either waits for the CDK, which asks every few seconds how far it is.
  const ends = await Promise.allSettled([runCheck(consumer), runExample(surroundings, endpoint)]);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

function claimsAreKept(deployment: Deployment): Promise<void> {
  return step('the claim table outlives its stack, and still knows what was done', async () => {
    const claim = await deployment.claim('thrice');
    assert.equal(claim?.status, 'completed');
  });
}

main().catch((error: unknown) => {
  if (error instanceof CannotRun) {
    console.log(`deploy check did not run: ${error.message}. This is not a pass.`);
    return;
  }
  console.error(error);
  process.exitCode = 1;
});
