import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

type RequestHandler = DynamoDBClient['config']['requestHandler'];

const local = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  maxAttempts: 1,
};

export function clientOf(endpoint: string): DynamoDBClient {
  return new DynamoDBClient({ ...local, endpoint });
}

/** What went over the wire: requests, and the bytes of their bodies. */
export interface Traffic {
  requests: number;
  sentBytes: number;
}

/** A real client that counts. */
export function countingClient(endpoint: string): { client: DynamoDBClient; traffic: Traffic } {
  const traffic: Traffic = { requests: 0, sentBytes: 0 };
  const { requestHandler } = clientOf(endpoint).config;
  const counting: RequestHandler = {
    handle(request, options) {
      traffic.requests += 1;
      traffic.sentBytes += Buffer.byteLength(request.body);
      return requestHandler.handle(request, options);
    },
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
    destroy: () => requestHandler.destroy?.(),
  };
  return { client: new DynamoDBClient({ ...local, endpoint, requestHandler: counting }), traffic };
}

/** A client whose calls succeed without the SDK's doing: what is left is the library's own work. */
export function stubbedClient(replyMillis = 0): DynamoDBClient {
  const client = new DynamoDBClient(local);
  const send = async (command: { readonly input: object }) => {
    if (replyMillis > 0) await new Promise((resolve) => setTimeout(resolve, replyMillis));
    const statements = Reflect.get(command.input, 'Statements');
    return Array.isArray(statements) ? { Responses: statements.map(() => ({})) } : {};
  };
  return Object.assign(client, { send });
}

/** A client that does everything but talk: what is left is the library's work and the SDK's. */
export function wirelessClient(): DynamoDBClient {
  const empty = Buffer.from('{}');
  const mute: RequestHandler = {
    async handle(request) {
      const statements = request.headers['x-amz-target']?.endsWith('BatchExecuteStatement')
        ? new TextDecoder().decode(request.body).split('"Statement":').length - 1
        : 0;
      const body =
        statements === 0 ? empty : Buffer.from(`{"Responses":[${'{},'.repeat(statements).slice(0, -1)}]}`);
      return { response: { statusCode: 200, headers: {}, body } as never };
    },
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
  };
  return new DynamoDBClient({ ...local, endpoint: 'http://127.0.0.1:9', requestHandler: mute });
}
