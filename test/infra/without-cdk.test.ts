// Law: what the page without CDK writes by hand is what the construct synthesizes.
import { readFileSync } from 'node:fs';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { IdempotentConsumer } from '../../infra/index.ts';
import { consumerSettings } from '../../lib/settings.ts';
import { defaultRetentionSeconds } from '../../lib/window.ts';
import { blocks, root } from '../../scripts/docs/pages.ts';
import { tablesOf } from '../support/page-tables.ts';
import { synthesizedWiring } from './without-cdk/cloudformation.ts';
import { terraformWiring } from './without-cdk/terraform.ts';
import { rightsOf, type Wiring } from './without-cdk/wiring.ts';
import { samWiring, serverlessWiring } from './without-cdk/yaml.ts';

const runtimeRetentionSeconds = defaultRetentionSeconds(false);

const path = 'docs/without-cdk.md';
const page = readFileSync(`${root}/${path}`, 'utf8');

/** The first block of code below a heading. */
function under(text: string, heading: string): string {
  const [block] = blocks({ path, text: text.slice(text.indexOf(`\n## ${heading}\n`)) });
  return block?.code ?? '';
}

const tools: Readonly<Record<string, (text: string) => Wiring | Promise<Wiring>>> = {
  SAM: (text) => samWiring(under(text, 'SAM')),
  Terraform: (text) => terraformWiring(under(text, 'Terraform')),
  Serverless: (text) => serverlessWiring(under(text, 'Serverless'), under(text, 'SAM')),
};

/** The construct with nothing but defaults; not bundled, for the code is not looked at. */
function constructed(): Wiring {
  const stack = new Stack(new App({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Shop');
  new IdempotentConsumer(stack, 'Payments', { entry: 'handlers/capture-payment.ts' });
  return synthesizedWiring(Template.fromStack(stack).toJSON().Resources);
}

/** The construct states the retention it computed; from these queues it is the runtime's own, so a page may be silent. */
function withoutDefaults({ environment, ...rest }: Wiring): Wiring {
  const { SQS_ONCE_RETENTION_SECONDS: retention, ...others } = environment;
  const said = retention === undefined || retention === String(runtimeRetentionSeconds);
  return { ...rest, environment: said ? others : environment };
}

/** Every `SQS_ONCE_` name that is asked for while a consumer is set up. */
function namesRead(): readonly string[] {
  const read = new Set<string>();
  const environment = process.env;
  process.env = new Proxy<NodeJS.ProcessEnv>(
    { SQS_ONCE_TABLE: 'claims', SQS_ONCE_PARTIAL_RESPONSES: 'true' },
    {
      get(variables, name) {
        if (String(name).startsWith('SQS_ONCE_')) read.add(String(name));
        return variables[String(name)];
      },
    },
  );
  try {
    consumerSettings({ scope: 'capture-payment' });
  } finally {
    process.env = environment;
  }
  return [...read].sort();
}

const construct = withoutDefaults(constructed());

describe.each(Object.entries(tools))('under %s', (_, read) => {
  it.each(Object.keys(construct) as (keyof Wiring)[])('the %s is the construct’s', async (part) => {
    const wiring = withoutDefaults(await read(page));
    expect(wiring[part]).toEqual(construct[part]);
  });
});

describe('beside the programs', () => {
  const [numbers = [], variables = []] = tablesOf(page);

  it('the rights as JSON are the construct’s', () => {
    const policy = JSON.parse(
      blocks({ path, text: page }).find(({ language }) => language === 'json')?.code ?? '',
    );
    const parts: Record<string, string> = {
      payments: 'queue',
      'payments-dlq': 'deadLetters',
      'table/claims': 'table',
    };
    const statements = policy.Statement.map(
      ({ Effect, Action, Resource }: { Effect: string; Action: string[]; Resource: string }) => ({
        effect: Effect,
        actions: Action,
        resource: `${parts[Resource.split(':').at(-1) ?? '']}.Arn`,
      }),
    );
    expect(rightsOf(statements)).toEqual(construct.rights);
  });

  it('the numbers are the construct’s', () => {
    const said = Object.fromEntries(numbers.map(([name = '', here]) => [name, here]));
    const days = (seconds: number) => seconds / 86_400;
    expect(said).toEqual({
      'function timeout': `${construct.function.timeoutSeconds} s`,
      'visibility timeout': `${construct.queue.visibilitySeconds} s`,
      '`maxReceiveCount`': String(construct.queue.maxReceiveCount),
      'dead-letter retention': `${days(construct.deadLetters.retentionSeconds)} days`,
      'claim retention': `the default, ${days(runtimeRetentionSeconds)} days`,
    });
  });

  it('the variables named are those the runtime reads', () => {
    const named = variables.flatMap(([names = '']) => names.match(/SQS_ONCE_\w+/g) ?? []);
    expect(named.toSorted()).toEqual(namesRead());
  });
});

describe('a page that went astray is seen', () => {
  const astray: [tool: string, from: string, to: string][] = [
    ['SAM', 'KeyType: HASH }]', 'KeyType: HASH }, { AttributeName: at, KeyType: RANGE }]'],
    ['SAM', 'AttributeName: expiresAt', 'AttributeName: ttl'],
    ['SAM', 'VisibilityTimeout: 180', 'VisibilityTimeout: 30'],
    ['SAM', 'deadLetterTargetArn: !GetAtt DeadLetters.Arn', 'deadLetterTargetArn: !GetAtt Payments.Arn'],
    ['SAM', 'FunctionResponseTypes: [ReportBatchItemFailures]', 'FunctionResponseTypes: []'],
    ['SAM', 'Resource: !GetAtt Claims.Arn', "Resource: '*'"],
    ['SAM', 'SQS_ONCE_DLQ_URL: !Ref DeadLetters', 'SQS_ONCE_DLQ_URL: !Ref Payments'],
    ['Terraform', 'attribute_name = "expiresAt"', 'attribute_name = "ttl"'],
    ['Terraform', 'message_retention_seconds = 1209600', 'message_retention_seconds = 345600'],
    ['Terraform', 'maxReceiveCount     = 50', 'maxReceiveCount     = 5'],
    ['Terraform', '"dynamodb:GetItem", ', '"dynamodb:GetItem", "dynamodb:Scan", '],
    ['Terraform', '["ReportBatchItemFailures"]', '[]'],
    ['Serverless', 'functionResponseType: ReportBatchItemFailures', 'batchWindow: 1'],
    ['Serverless', 'Action: sqs:SendMessage', "Action: 'sqs:*'"],
  ];

  it.each(astray)('under %s: %s → %s', async (tool, from, to) => {
    const spoilt = page.slice(0, page.indexOf(`\n## ${tool}\n`));
    const rest = page.slice(spoilt.length);
    expect(rest).toContain(from);
    const wiring = await tools[tool]?.(spoilt + rest.replace(from, to));
    expect(withoutDefaults(wiring as Wiring)).not.toEqual(construct);
  });
});
