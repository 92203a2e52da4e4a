import {
  BatchExecuteStatementCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { type Ambient, processAmbient } from '../ambient.ts';
import { ConfigurationError } from '../errors.ts';
import { batchedClaims } from './batching/batched-claims.ts';
import type { SendBatch } from './batching/batcher.ts';
import { claimStore } from './claim-store.ts';
import type { ClaimStore } from './port.ts';
import type { Table } from './table.ts';

/** A `DynamoDBClient` or a `DynamoDBDocumentClient`, of whatever copy or version of the SDK. */
export interface DynamoClient {
  // biome-ignore lint/suspicious/noExplicitAny: two copies of the SDK share no command type, and both fit.
  send(command: any, options?: any): Promise<any>;
}

/** Options of {@link dynamoClaims}. */
export interface DynamoClaimsOptions {
  /**
   * Your client, used as it is, never closed and never changed.
   * @default a client of its own, made at the first call, with the region and credentials of the environment
   */
  readonly client?: DynamoClient;
  /**
   * The claim table.
   * @default the environment's `SQS_ONCE_TABLE`
   */
  readonly tableName?: string;
  /**
   * Whether claims and outcomes that are ready at the same moment share a call (`BatchExecuteStatement`): a
   * batch of ten costs two requests instead of twenty. The role needs `dynamodb:PartiQLInsert` and
   * `dynamodb:PartiQLUpdate` on the table too. A worker that dies is charged to every message whose claim came with the
   * same reply, also to those that had not started. Not yet run against AWS itself.
   * @default false
   */
  readonly batching?: boolean;
}

/**
 * Claims in a DynamoDB table: partition key `claim` of type S, no sort key, TTL on `expiresAt`.
 *
 * @throws ConfigurationError when no table is named, or for an option that is unknown or no client.
 * @example
 * ```ts
 * const claims = dynamoClaims({ tableName: 'claims' });
 * ```
 */
export function dynamoClaims(options: DynamoClaimsOptions = {}): ClaimStore {
  return dynamoClaimsIn(options, processAmbient);
}

/** The same with another clock. */
export function dynamoClaimsIn(options: DynamoClaimsOptions, ambient: Ambient): ClaimStore {
  refuseImpossible(options);
  const tableName = options.tableName ?? process.env.SQS_ONCE_TABLE;
  if (typeof tableName !== 'string' || tableName.trim() === '') {
    throw new ConfigurationError(
      `the claim table's name is ${JSON.stringify(tableName) ?? 'not given'}; give dynamoClaims({ tableName }) or set SQS_ONCE_TABLE`,
    );
  }
  let made = options.client;
  const client = () => {
    made ??= new DynamoDBClient({});
    return made;
  };
  return options.batching === true
    ? batchedClaims(dynamoTable(client), dynamoBatches(client), tableName, ambient)
    : claimStore(dynamoTable(client), tableName, ambient);
}

const optionNames: readonly string[] = ['client', 'tableName', 'batching'];

function refuseImpossible(options: DynamoClaimsOptions): void {
  const unknown = Object.keys(options).find((name) => !optionNames.includes(name));
  if (unknown !== undefined) {
    throw new ConfigurationError(
      `dynamoClaims has no option ${JSON.stringify(unknown)}; it has ${optionNames.join(', ')}`,
    );
  }
  const { client, batching } = options;
  if (batching !== undefined && typeof batching !== 'boolean') {
    throw new ConfigurationError(
      `dynamoClaims was given batching of type ${typeof batching}; give true or false`,
    );
  }
  if (client !== undefined && typeof client?.send !== 'function') {
    throw new ConfigurationError(
      `dynamoClaims was given a client of type ${typeof client} without send; give a DynamoDBClient or a DynamoDBDocumentClient`,
    );
  }
}

function dynamoTable(client: () => DynamoClient): Table {
  return {
    async put(statement, abortSignal) {
      await client().send(new PutItemCommand(statement), { abortSignal });
    },
    async update(statement, abortSignal) {
      await client().send(new UpdateItemCommand(statement), { abortSignal });
    },
    async transact(statement, abortSignal) {
      await client().send(new TransactWriteItemsCommand(statement), { abortSignal });
    },
    async get(TableName, Key, abortSignal) {
      const answer = await client().send(new GetItemCommand({ TableName, Key, ConsistentRead: true }), {
        abortSignal,
      });
      return answer.Item;
    },
  };
}

function dynamoBatches(client: () => DynamoClient): SendBatch {
  return async (statements, abortSignal) => {
    const command = new BatchExecuteStatementCommand({ Statements: [...statements] });
    const { Responses = [] } = await client().send(command, { abortSignal });
    return statements.map((_, place) => {
      const answer = Responses[place];
      return answer === undefined ? { Code: 'NoAnswer' } : answer.Error;
    });
  };
}
