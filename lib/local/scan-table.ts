import { type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';

/** Every item of a table, each as `read` makes it. */
export async function scanTable<Row>(
  client: DynamoDBClient,
  TableName: string,
  read: (item: unknown) => Row,
): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName })) {
    for (const item of Items) rows.push(read(unmarshall(item)));
  }
  return rows;
}
