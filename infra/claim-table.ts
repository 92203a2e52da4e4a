import { RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import type { IMetric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { AttributeType, type Billing, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct, type IConstruct } from 'constructs';
import { ConfigurationError } from '../lib/errors.ts';
import { type AnyTable, watchClaimTable } from './checks/refuse-table.ts';
import { tableKeyActions } from './permissions.ts';

/** What a function that claims needs to be allowed. */
export interface GrantClaimsOptions {
  /**
   * Whether the function claims whole batches in one call (`dynamoClaims({ batching: true })`).
   * @default false
   */
  readonly batchedClaims?: boolean;
}

/** A claim table, ours or yours. */
export interface IClaimTable extends IConstruct {
  readonly table: AnyTable;
  /** Lets a function claim, settle and park messages, and nothing else: no scan, no delete, no wildcard. */
  grantClaims(grantee: IGrantable, options?: GrantClaimsOptions): Grant;
  /** Lets a person or a job look at a claim: `sqs-once claims show`, `sqs-once dlq`. */
  grantRead(grantee: IGrantable): Grant;
  /** Lets a person or a job look at a claim and let go of it: `sqs-once claims release`. */
  grantRelease(grantee: IGrantable): Grant;
  /** Writes DynamoDB refused for want of capacity. */
  metricThrottledWrites(options?: MetricOptions): IMetric;
}

export interface ClaimTableProps {
  /**
   * The table's name.
   * @default - CloudFormation makes one
   */
  readonly tableName?: string;
  /**
   * A key of your own for encryption at rest; the stack's Region must be known.
   * @default - the key DynamoDB owns
   */
  readonly encryptionKey?: IKey;
  /**
   * How capacity is paid for.
   * @default Billing.onDemand()
   */
  readonly billing?: Billing;
  /**
   * What happens to the table when it leaves the stack. A table that goes takes with it the knowledge of
   * what was done: every message still in a queue runs again.
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
  /**
   * Whether DynamoDB refuses to delete the table.
   * @default true, unless `removalPolicy` is DESTROY
   */
  readonly deletionProtection?: boolean;
}

abstract class ClaimTableBase extends Construct implements IClaimTable {
  abstract readonly table: AnyTable;

  grantClaims(grantee: IGrantable, options: GrantClaimsOptions = {}): Grant {
    const single = [
      'dynamodb:PutItem',
      'dynamodb:UpdateItem',
      'dynamodb:GetItem',
      // TransactWriteItems has no action of its own: it is allowed by those of its parts.
      'dynamodb:ConditionCheckItem',
    ];
    const batched = ['dynamodb:PartiQLInsert', 'dynamodb:PartiQLUpdate'];
    return this.grant(grantee, options.batchedClaims === true ? [...single, ...batched] : single);
  }

  grantRead(grantee: IGrantable): Grant {
    return this.grant(grantee, ['dynamodb:GetItem']);
  }

  grantRelease(grantee: IGrantable): Grant {
    return this.grant(grantee, ['dynamodb:GetItem', 'dynamodb:UpdateItem']);
  }

  metricThrottledWrites(options: MetricOptions = {}): IMetric {
    return this.table.metric('WriteThrottleEvents', { statistic: 'Sum', ...options });
  }

  private grant(grantee: IGrantable, actions: string[]): Grant {
    this.table.encryptionKey?.grant(grantee, ...tableKeyActions);
    return Grant.addToPrincipal({ grantee, actions, resourceArns: [this.table.tableArn] });
  }
}

/**
 * The table claims live in: on demand, restorable to any second of the last 35 days, kept when the stack
 * goes, guarded against deletion. One table serves any number of consumers, each under its own scope.
 *
 * Claims are exclusive inside one Region: a replicated table is refused, because two Regions would each win
 * the same claim.
 *
 * @throws ConfigurationError for `encryptionKey` in a stack whose Region is not known.
 * @example
 * ```ts
 * const claims = new ClaimTable(this, 'Claims');
 * new IdempotentConsumer(this, 'Payments', { entry: 'handlers/capture-payment.ts', claimTable: claims });
 * ```
 */
export class ClaimTable extends ClaimTableBase {
  /**
   * A table of your own. Its partition key must be `claim` (a string), without sort key, and its TTL
   * attribute `expiresAt`; what can be seen of that is checked at synth.
   */
  static fromTable(scope: Construct, id: string, table: AnyTable): IClaimTable {
    return new ForeignClaimTable(scope, id, table);
  }

  override readonly table: TableV2;

  constructor(scope: Construct, id: string, props: ClaimTableProps = {}) {
    super(scope, id);
    if (props.encryptionKey && Token.isUnresolved(Stack.of(this).region)) {
      throw new ConfigurationError(
        `[${this.node.path}] encryptionKey is given in a stack whose Region is not known; give that stack env: { region }, ` +
          'because DynamoDB binds a table to its key Region by Region',
      );
    }
    const { removalPolicy = RemovalPolicy.RETAIN } = props;
    this.table = new TableV2(this, 'Table', {
      partitionKey: { name: 'claim', type: AttributeType.STRING },
      // Epoch seconds. DynamoDB deletes days after they pass, so every claim's condition compares the time
      // itself and this only keeps the table small. The number is the consumer's redelivery window: a claim
      // deleted sooner would let SQS deliver its message once more, and the work would be done twice.
      timeToLiveAttribute: 'expiresAt',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: props.deletionProtection ?? removalPolicy !== RemovalPolicy.DESTROY,
      removalPolicy,
      ...(props.tableName !== undefined && { tableName: props.tableName }),
      ...(props.billing && { billing: props.billing }),
      ...(props.encryptionKey && { encryption: TableEncryptionV2.customerManagedKey(props.encryptionKey) }),
    });
    watchClaimTable(this, this.table);
  }
}

class ForeignClaimTable extends ClaimTableBase {
  override readonly table: AnyTable;

  constructor(scope: Construct, id: string, table: AnyTable) {
    super(scope, id);
    this.table = table;
    watchClaimTable(this, table);
  }
}
