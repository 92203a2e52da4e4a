import { Template } from 'aws-cdk-lib/assertions';
import { AttributeType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, it } from 'vitest';
import { ClaimTable, type IdempotentConsumer, type IdempotentConsumerProps } from '../../infra/index.ts';
import { consumerIn, newStack, statementsOf, templateOf } from './stack.ts';

const consume = [
  'sqs:ChangeMessageVisibility',
  'sqs:DeleteMessage',
  'sqs:GetQueueAttributes',
  'sqs:GetQueueUrl',
  'sqs:ReceiveMessage',
];
const claim = ['dynamodb:ConditionCheckItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'];
const commit = [
  'dynamodb:ConditionCheckItem',
  'dynamodb:DeleteItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
];
const send = ['sqs:SendMessage'];
const sendEncrypted = ['kms:Decrypt', 'kms:GenerateDataKey'];

/** Statements of the function's role, once the consumer was given something more. */
function functionMay(more: (consumer: IdempotentConsumer) => unknown): ReturnType<typeof statementsOf> {
  const stack = newStack();
  more(consumerIn(stack));
  return statementsOf(Template.fromStack(stack), /Work/);
}

/** Statements of another role, which the consumer lets do something. */
function otherMay(
  allow: (consumer: IdempotentConsumer, role: Role) => unknown,
  props: (stack: ReturnType<typeof newStack>) => IdempotentConsumerProps = () => ({}),
): ReturnType<typeof statementsOf> {
  const stack = newStack();
  const consumer = consumerIn(stack, props(stack));
  allow(consumer, new Role(stack, 'Other', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') }));
  return statementsOf(Template.fromStack(stack), /Other/);
}

describe("the consumer's function may", () => {
  const base = [
    ['PaymentsQueue', consume],
    ['PaymentsClaimsTable', claim],
    ['PaymentsDeadLetterQueue', send],
  ];

  it('receive, claim and park, and nothing else', () => {
    expect(statementsOf(templateOf())).toEqual(base);
  });

  it('never send to its own source queue', () => {
    const toSource = statementsOf(templateOf()).filter(([resource]) => resource === 'PaymentsQueue');
    expect(toSource.flatMap(([, actions]) => actions)).not.toContain('sqs:SendMessage');
  });

  it('claim in batches only when told so', () => {
    expect(statementsOf(templateOf({ batchedClaims: true }))).toContainEqual([
      'PaymentsClaimsTable',
      [
        'dynamodb:ConditionCheckItem',
        'dynamodb:GetItem',
        'dynamodb:PartiQLInsert',
        'dynamodb:PartiQLUpdate',
        'dynamodb:PutItem',
        'dynamodb:UpdateItem',
      ],
    ]);
  });

  it('use the key of its queues: to read from one and to park into the other', () => {
    const stack = newStack();
    consumerIn(stack, { encryptionKey: new Key(stack, 'Key') });
    expect(statementsOf(Template.fromStack(stack))).toEqual([
      ['PaymentsQueue', consume],
      ['Key', ['kms:Decrypt']],
      ['PaymentsClaimsTable', claim],
      ['Key', sendEncrypted],
      ['PaymentsDeadLetterQueue', send],
    ]);
  });

  it('use the key of the claim table', () => {
    const stack = newStack();
    const claimTable = new ClaimTable(stack, 'Claims', { encryptionKey: new Key(stack, 'Key') });
    consumerIn(stack, { claimTable });
    const [, key, claims] = statementsOf(Template.fromStack(stack));
    expect(key?.[0]).toBe('Key');
    expect(claims).toEqual(['ClaimsTable', claim]);
  });

  it('send follow-ups to the queue it is granted', () => {
    const statements = functionMay((consumer) => consumer.grantFollowUps(new Queue(consumer, 'Receipts')));
    expect(statements).toEqual([...base, ['PaymentsReceipts', send]]);
  });

  it('send follow-ups to an encrypted queue', () => {
    const statements = functionMay((consumer) => {
      const encryptionMasterKey = new Key(consumer, 'ReceiptsKey');
      consumer.grantFollowUps(new Queue(consumer, 'Receipts', { encryptionMasterKey }));
    });
    expect(statements).toEqual([...base, ['PaymentsReceiptsKey', sendEncrypted], ['PaymentsReceipts', send]]);
  });

  it('write to a granted table in the transaction, and never read or scan it', () => {
    const partitionKey = { name: 'orderId', type: AttributeType.STRING };
    const statements = functionMay((consumer) =>
      consumer.grantCommit(new TableV2(consumer, 'Captures', { partitionKey })),
    );
    expect(statements).toEqual([...base, ['PaymentsCaptures', commit]]);
  });

  it('use the key of a granted table', () => {
    const partitionKey = { name: 'orderId', type: AttributeType.STRING };
    const statements = functionMay((consumer) => {
      const encryption = TableEncryptionV2.customerManagedKey(new Key(consumer, 'CapturesKey'));
      consumer.grantCommit(new TableV2(consumer, 'Captures', { partitionKey, encryption }));
    });
    expect(statements.map(([resource]) => resource)).toContain('PaymentsCapturesKey');
  });

  it('do nothing anywhere by a wildcard', () => {
    const stack = newStack();
    const key = new Key(stack, 'Key');
    const claimTable = new ClaimTable(stack, 'Claims', { encryptionKey: key });
    consumerIn(stack, { encryptionKey: key, claimTable, batchedClaims: true });
    for (const [resource, actions] of statementsOf(Template.fromStack(stack))) {
      expect(`${resource} ${actions}`).not.toContain('*');
    }
  });
});

describe('somebody else may', () => {
  it('send to the consumer, once granted', () => {
    expect(otherMay((consumer, role) => consumer.grantSendMessages(role))).toEqual([['PaymentsQueue', send]]);
  });

  it('send to an encrypted queue, once granted', () => {
    const statements = otherMay(
      (consumer, role) => consumer.grantSendMessages(role),
      (stack) => ({ encryptionKey: new Key(stack, 'Key') }),
    );
    expect(statements).toEqual([
      ['Key', sendEncrypted],
      ['PaymentsQueue', send],
    ]);
  });

  it('bring parked messages back, once granted', () => {
    expect(otherMay((consumer, role) => consumer.grantRedrive(role))).toEqual([
      ['PaymentsDeadLetterQueue', [...consume, 'sqs:ListDeadLetterSourceQueues'].sort()],
      ['PaymentsQueue', ['sqs:GetQueueUrl']],
      ['PaymentsQueue', send],
      ['PaymentsClaimsTable', ['dynamodb:GetItem']],
    ]);
  });
});
