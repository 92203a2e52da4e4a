const actionsOfParts: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

interface Input {
  readonly TableName?: string;
  readonly QueueUrl?: string;
  readonly QueueName?: string;
  readonly TransactItems?: readonly Readonly<Record<string, { readonly TableName?: string } | undefined>>[];
}

/** What IAM asks for an SDK call, as `action@resource`; a transaction is allowed by the actions of its parts. */
export function rightsFor(command: string, input: object): string[] {
  const { TableName, QueueUrl, QueueName, TransactItems } = input as Input;
  if (TransactItems !== undefined) {
    return TransactItems.flatMap((item) =>
      Object.entries(item).map(([part, write]) => `dynamodb:${actionsOfParts[part]}@${write?.TableName}`),
    );
  }
  if (TableName !== undefined) return [`dynamodb:${command}@${TableName}`];
  // A batch is allowed by the right to its single call.
  return [`sqs:${command.replace(/Batch$/, '')}@${QueueUrl ?? QueueName}`];
}
