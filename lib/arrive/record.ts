/** A message attribute as Lambda hands it over. */
export interface SqsMessageAttribute {
  readonly stringValue?: string | undefined;
  /** Base64. */
  readonly binaryValue?: string | undefined;
  readonly dataType: string;
}

/** One record of an SQS event, as Lambda's event source mapping builds it. */
export interface SqsRecord {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, string | undefined>>;
  readonly messageAttributes: Readonly<Record<string, SqsMessageAttribute>>;
  readonly eventSource?: string;
  readonly eventSourceARN: string;
  readonly awsRegion?: string;
  readonly md5OfBody?: string;
  readonly md5OfMessageAttributes?: string | null;
}

/** An SQS event. */
export interface SqsEvent {
  Records: SqsRecord[];
}

/** What Lambda reads to learn which messages go back to the queue. */
export interface SqsBatchResponse {
  batchItemFailures: { itemIdentifier: string }[];
}

/** A copy nobody can change, taken before any user code runs. */
export function frozenRecord(record: SqsRecord): SqsRecord {
  const messageAttributes: Record<string, SqsMessageAttribute> = {};
  for (const [name, attribute] of Object.entries(record.messageAttributes ?? {})) {
    messageAttributes[name] = Object.freeze({ ...attribute });
  }
  return Object.freeze({
    ...record,
    attributes: Object.freeze({ ...record.attributes }),
    messageAttributes: Object.freeze(messageAttributes),
  });
}

/** A queue in a FIFO's ARN ends so; a group id alone may be a fair queue's. */
export function isFifoArn(arn: string): boolean {
  return arn.endsWith('.fifo');
}
