import { App, RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AttributeType, Billing, Table, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { describe, expect, it } from 'vitest';
import { ClaimTable } from '../../infra/index.ts';
import { inlineFunction, newStack, refusal, statementsOf, warnings } from './stack.ts';

function tableTemplate(props: ConstructorParameters<typeof ClaimTable>[2] = {}): Template {
  const stack = newStack();
  new ClaimTable(stack, 'Claims', props);
  return Template.fromStack(stack);
}

const claimKey = { name: 'claim', type: AttributeType.STRING };

describe('the claim table', () => {
  it('finds a claim by its key alone', () => {
    tableTemplate().hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      KeySchema: [{ AttributeName: 'claim', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'claim', AttributeType: 'S' }],
    });
  });

  it('lets DynamoDB sweep out expired claims', () => {
    tableTemplate().hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    });
  });

  it('is paid on demand, restorable and guarded against deletion', () => {
    tableTemplate().hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      BillingMode: 'PAY_PER_REQUEST',
      Replicas: [
        {
          DeletionProtectionEnabled: true,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          Region: 'eu-north-1',
        },
      ],
    });
  });

  it('stays when the stack goes', () => {
    tableTemplate().hasResource('AWS::DynamoDB::GlobalTable', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
    });
  });

  it('goes with the stack only when told so, and is then not guarded', () => {
    const template = tableTemplate({ removalPolicy: RemovalPolicy.DESTROY });
    template.hasResource('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'Delete' });
    template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      Replicas: [{ DeletionProtectionEnabled: false }],
    });
  });

  it('takes a name and another way of paying', () => {
    const billing = Billing.onDemand({ maxWriteRequestUnits: 500 });
    tableTemplate({ tableName: 'claims', billing }).hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      TableName: 'claims',
      WriteOnDemandThroughputSettings: { MaxWriteRequestUnits: 500 },
    });
  });
});

describe('a key of your own', () => {
  it('fails in a stack that could be in any Region, with the way out', () => {
    const stack = new Stack(new App(), 'Anywhere');
    const encryptionKey = new Key(stack, 'Key');
    expect(() => new ClaimTable(stack, 'Claims', { encryptionKey })).toThrow(
      '[Anywhere/Claims] encryptionKey is given in a stack whose Region is not known; give that stack env: { region }',
    );
  });
});

describe('the right to claim', () => {
  it('is exactly what the store does', () => {
    const stack = newStack();
    new ClaimTable(stack, 'Claims').grantClaims(inlineFunction(stack));
    expect(statementsOf(Template.fromStack(stack))).toEqual([
      [
        'ClaimsTable',
        ['dynamodb:ConditionCheckItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
      ],
    ]);
  });

  it('includes PartiQL only for batched claims', () => {
    const stack = newStack();
    new ClaimTable(stack, 'Claims').grantClaims(inlineFunction(stack), { batchedClaims: true });
    expect(statementsOf(Template.fromStack(stack))).toEqual([
      [
        'ClaimsTable',
        [
          'dynamodb:ConditionCheckItem',
          'dynamodb:GetItem',
          'dynamodb:PartiQLInsert',
          'dynamodb:PartiQLUpdate',
          'dynamodb:PutItem',
          'dynamodb:UpdateItem',
        ],
      ],
    ]);
  });

  it('includes the key of an encrypted table, without a wildcard', () => {
    const stack = newStack();
    const encryptionKey = new Key(stack, 'Key');
    new ClaimTable(stack, 'Claims', { encryptionKey }).grantClaims(inlineFunction(stack));
    const template = Template.fromStack(stack);
    expect(statementsOf(template)).toContainEqual([
      'Key',
      [
        'kms:Decrypt',
        'kms:DescribeKey',
        'kms:Encrypt',
        'kms:GenerateDataKey',
        'kms:GenerateDataKeyWithoutPlaintext',
        'kms:ReEncryptFrom',
        'kms:ReEncryptTo',
      ],
    ]);
    template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
    });
  });

  it('to look at a claim is reading it, one at a time', () => {
    const stack = newStack();
    new ClaimTable(stack, 'Claims').grantRead(inlineFunction(stack));
    expect(statementsOf(Template.fromStack(stack))).toEqual([['ClaimsTable', ['dynamodb:GetItem']]]);
  });

  it('to let go of a claim is reading and updating', () => {
    const stack = newStack();
    new ClaimTable(stack, 'Claims').grantRelease(inlineFunction(stack));
    expect(statementsOf(Template.fromStack(stack))).toEqual([
      ['ClaimsTable', ['dynamodb:GetItem', 'dynamodb:UpdateItem']],
    ]);
  });
});

describe('a table of your own', () => {
  it('serves when it has the shape of ours, in either generation', () => {
    const stack = newStack();
    const first = new Table(stack, 'First', { partitionKey: claimKey, timeToLiveAttribute: 'expiresAt' });
    const second = new TableV2(stack, 'Second', { partitionKey: claimKey, timeToLiveAttribute: 'expiresAt' });
    ClaimTable.fromTable(stack, 'A', first);
    ClaimTable.fromTable(stack, 'B', second);
    expect(() => Template.fromStack(stack)).not.toThrow();
  });

  it('fails when its partition key has another name or type', () => {
    const said = refusal((stack) => {
      const partitionKey = { name: 'id', type: AttributeType.NUMBER };
      ClaimTable.fromTable(
        stack,
        'Claims',
        new TableV2(stack, 'T', { partitionKey, timeToLiveAttribute: 'expiresAt' }),
      );
    });
    expect(said).toContain('partition key is id of type N; make it claim of type S');
  });

  it('fails when it has a sort key', () => {
    const said = refusal((stack) => {
      const sortKey = { name: 'version', type: AttributeType.STRING };
      const table = new Table(stack, 'T', {
        partitionKey: claimKey,
        sortKey,
        timeToLiveAttribute: 'expiresAt',
      });
      ClaimTable.fromTable(stack, 'Claims', table);
    });
    expect(said).toContain('has a sort key; make a table without one');
  });

  it('fails when nothing ever expires, or by another attribute', () => {
    const withTimeToLive = (timeToLiveAttribute: string | undefined): string =>
      refusal((stack) => {
        const table = new TableV2(stack, 'T', {
          partitionKey: claimKey,
          ...(timeToLiveAttribute !== undefined && { timeToLiveAttribute }),
        });
        ClaimTable.fromTable(stack, 'Claims', table);
      });
    expect(withTimeToLive(undefined)).toContain('TTL attribute is not set; make it expiresAt');
    expect(withTimeToLive('ttl')).toContain('TTL attribute is ttl; make it expiresAt');
  });

  it('fails when it is replicated, however late the replica is added', () => {
    const said = refusal((stack) =>
      new ClaimTable(stack, 'Claims').table.addReplica({ region: 'eu-west-1' }),
    );
    expect(said).toContain('has 2 replicas; give it one');
    expect(said).toContain('two Regions would each win the same claim');
  });

  it('is taken on trust where it lies outside the app, with a warning that says what to check', () => {
    const [said] = warnings((stack) =>
      ClaimTable.fromTable(stack, 'Claims', TableV2.fromTableName(stack, 'T', 'claims')),
    );
    expect(said).toContain('check that its partition key is claim (a string)');
  });

  it('is not refused for a shape that only CloudFormation will know', () => {
    const stack = newStack();
    const name = Token.asString({ Ref: 'KeyName' });
    const partitionKey = { name, type: AttributeType.STRING };
    ClaimTable.fromTable(stack, 'Claims', new Table(stack, 'T', { partitionKey, timeToLiveAttribute: name }));
    expect(() => Template.fromStack(stack)).not.toThrow();
  });
});
