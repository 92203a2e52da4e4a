import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ShopStack } from './shop-stack.ts';

/**
 * A deployable example: `npx cdk deploy --context gatewayUrl=https://payments.example.com`.
 */
const app = new App();

new ShopStack(app, 'SqsOnceShop', {
  gatewayUrl: app.node.tryGetContext('gatewayUrl') ?? 'https://payments.example.com',
});

Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
