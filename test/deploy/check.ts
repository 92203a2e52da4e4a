import assert from 'node:assert/strict';
import { Cdk, type Context, type Surroundings } from './cdk.ts';
import { Deployment } from './deployment.ts';
import { type Law, lawsOfTheFirstDeployment, lawsOfTheSecondDeployment } from './laws.ts';
import { holdRightsAgainstCalls } from './rights.ts';

export interface Check {
  readonly surroundings: Surroundings;
  /** Where AWS is played; undefined for AWS itself. */
  readonly endpoint: string | undefined;
  readonly context: Context;
  /** Asked before the stack goes. */
  readonly beforeDestroy?: (deployment: Deployment) => Promise<void>;
  /** Asked when the stack is gone. */
  readonly afterDestroy?: (deployment: Deployment) => Promise<void>;
}

/** Bootstraps, deploys, looks, deploys again, looks, destroys. Destroys whatever happened in between. */
export async function runCheck(check: Check): Promise<void> {
  const cdk = new Cdk(check.surroundings);
  await step('cdk bootstrap', () => cdk.bootstrap(check.context));
  const deployed: { deployment?: Deployment } = {};
  try {
    await step('cdk deploy', async () => {
      const outputs = await cdk.deploy({ ...check.context, maxAttempts: '2' });
      deployed.deployment = new Deployment(outputs, check.endpoint);
    });
    const { deployment } = deployed;
    assert.ok(deployment);
    await hold(lawsOfTheFirstDeployment, deployment);
    await step('cdk deploy, with three attempts a message', () =>
      cdk.deploy({ ...check.context, maxAttempts: '3' }),
    );
    await hold(lawsOfTheSecondDeployment, deployment);
    await step("the function's role lists what was used and nothing without a reason", () =>
      holdRightsAgainstCalls(deployment),
    );
    await check.beforeDestroy?.(deployment);
  } finally {
    await step('cdk destroy', () => cdk.destroy(check.context));
  }
  const { deployment } = deployed;
  if (deployment) await check.afterDestroy?.(deployment);
  deployment?.close();
}

async function hold(laws: readonly Law[], deployment: Deployment): Promise<void> {
  for (const [sentence, see] of laws) await step(sentence, () => see(deployment));
}

export async function step(title: string, act: () => Promise<unknown>): Promise<void> {
  const start = performance.now();
  try {
    await act();
  } catch (error) {
    console.log(`✗ ${title}`);
    throw error;
  }
  console.log(`✓ ${title} (${((performance.now() - start) / 1_000).toFixed(1)} s)`);
}
