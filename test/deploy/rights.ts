import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Deployment } from './deployment.ts';
import { outputNames } from './stack.ts';

/** Rights a run of this check has no use for, each with its reason. */
const unusedForAReason: readonly string[] = [
  // Lambda's own poller uses these in the function's name.
  'sqs:ReceiveMessage@Queue',
  'sqs:DeleteMessage@Queue',
  'sqs:GetQueueAttributes@Queue',
  // The CDK's event source grants it along with those.
  'sqs:GetQueueUrl@Queue',
  // Read where a refused write came back without the row that refused it.
  'dynamodb:GetItem@Claims',
  'dynamodb:PutItem@Claims',
  'dynamodb:ConditionCheckItem@Claims',
  // The other verbs of `attempt.transaction`.
  'dynamodb:UpdateItem@Captures',
  'dynamodb:DeleteItem@Captures',
  'dynamodb:ConditionCheckItem@Captures',
];

/** Holds the function's role against the calls it made: nothing missing, nothing there without a reason. */
export async function holdRightsAgainstCalls(deployment: Deployment, assembly: string): Promise<void> {
  const template = join(assembly, 'SqsOnceCheck.template.json');
  const granted = grantedIn(JSON.parse(await readFile(template, 'utf8')));
  const used = (await deployment.rightsUsed()).map((right) => named(right, deployment));
  const missing = used.filter((right) => !granted.includes(right));
  assert.deepEqual(missing, [], 'rights that were needed and are not granted');
  const idle = granted.filter((right) => !used.includes(right) && !unusedForAReason.includes(right));
  assert.deepEqual(idle, [], 'rights that are granted and were not needed');
}

interface Template {
  readonly Outputs: Readonly<Record<string, { readonly Value: { readonly Ref?: string } }>>;
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties: Policy }>>;
}

interface Policy {
  readonly Roles: readonly { readonly Ref: string }[];
  readonly PolicyDocument: { readonly Statement: readonly Statement[] };
}

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

/** `action@output` for every resource of the stack that the product deals with. */
function grantedIn(template: Template): string[] {
  const statements = Object.values(template.Resources)
    .filter(
      ({ Type, Properties }) =>
        Type === 'AWS::IAM::Policy' && /Function/.test(Properties.Roles[0]?.Ref ?? ''),
    )
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
  return outputNames
    .filter((name) => name !== 'Runs' && name !== 'Function')
    .flatMap((name) => {
      const logicalId = template.Outputs[`Out${name}`]?.Value.Ref ?? '';
      return statements
        .filter(({ Resource }) => JSON.stringify(Resource).includes(`"${logicalId}"`))
        .flatMap(({ Action }) => [Action].flat().map((action) => `${action}@${name}`));
    });
}

function named(right: string, { outputs }: Deployment): string {
  const [action = '', resource = ''] = right.split(/@(.*)/s);
  const name = outputNames.find((output) => outputs[output] === resource);
  return `${action}@${name ?? resource}`;
}
