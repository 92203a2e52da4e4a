import { App } from 'aws-cdk-lib';
import { DeployedStack } from './stack.ts';

const app = new App();
const told = (name: string): string | undefined => app.node.tryGetContext(name);

new DeployedStack(app, 'SqsOnceCheck', {
  maxAttempts: Number(told('maxAttempts') ?? 2),
  ephemeral: told('ephemeral') === 'true',
  plainAlarms: told('plainAlarms') === 'true',
});
