import { Cdk, type CdkApp, type Context, named, type StackOutputs, type Surroundings } from './cdk.ts';
import { Deployment } from './deployment.ts';
import { type Law, lawsOfTheFirstDeployment, lawsOfTheSecondDeployment } from './laws.ts';
import { holdRightsAgainstCalls } from './rights.ts';
import { type Outputs, outputNames } from './stack.ts';
import { step } from './step.ts';

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

/** The app with one consumer that was made to be watched. */
export const consumerApp: CdkApp = { file: 'test/deploy/app.ts', assembly: 'cdk.out/deploy' };

/** Deploys, looks, deploys again, looks, destroys. Destroys whatever happened in between. */
export async function runCheck(check: Check): Promise<void> {
  const cdk = new Cdk(consumerApp, check.surroundings);
  let deployment: Deployment | undefined;
  try {
    const outputs = await step('cdk deploy', () => cdk.deploy({ ...check.context, maxAttempts: '2' }));
    deployment = new Deployment(outputsOf(outputs), check.endpoint);
    await hold(lawsOfTheFirstDeployment, deployment);
    await step('cdk deploy, with three attempts a message', () =>
      cdk.deploy({ ...check.context, maxAttempts: '3' }),
    );
    await hold(lawsOfTheSecondDeployment, deployment);
    await holdRights(deployment);
    await check.beforeDestroy?.(deployment);
  } finally {
    await step('cdk destroy', () => cdk.destroy(check.context));
  }
  await check.afterDestroy?.(deployment);
  deployment.outside.close();
}

function outputsOf(told: StackOutputs): Outputs {
  const { OutMisnaming } = told;
  return { ...named(outputNames, told), ...(OutMisnaming !== undefined && { Misnaming: OutMisnaming }) };
}

function holdRights(deployment: Deployment): Promise<void> {
  return step("the function's role lists what was used and nothing without a reason", () =>
    holdRightsAgainstCalls(deployment, consumerApp.assembly),
  );
}

async function hold(laws: readonly Law[], deployment: Deployment): Promise<void> {
  for (const [sentence, see] of laws) await step(sentence, () => see(deployment));
}
