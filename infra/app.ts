import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { PaymentsStack } from './payments-stack.ts';

/**
 * A deployable example: `npx cdk deploy --context gatewayUrl=https://payments.example.com`.
 */
const app = new App();

new PaymentsStack(app, 'SqsOncePayments', {
  gatewayUrl: app.node.tryGetContext('gatewayUrl') ?? 'https://payments.example.com',
});

Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
