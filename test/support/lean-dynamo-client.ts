import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { DynamoClient } from '../../lib/store/dynamo.ts';

/** A client that speaks to a local DynamoDB without signing, retrying or checking, at a fraction of the SDK's cost. */
export interface LeanClient extends DynamoClient {
  destroy(): void;
}

/** A stand-in wants to see a signature and does not check it. */
export const standInHeaders = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-date': '20260101T000000Z',
  authorization:
    'AWS4-HMAC-SHA256 Credential=local/20260101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
};

/** For tests that make tens of thousands of calls. Whatever depends on the SDK itself is tested with the SDK. */
export function leanDynamoClient(endpoint: string): LeanClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  const target = (command: object) => `DynamoDB_20120810.${command.constructor.name.replace(/Command$/, '')}`;
  return {
    send: (command: { readonly input: unknown }) =>
      new Promise((resolve, reject) => {
        const call = request(endpoint, {
          method: 'POST',
          agent,
          headers: { ...standInHeaders, 'x-amz-target': target(command) },
        });
        call.once('error', reject);
        call.once('response', async (response) => {
          const answer = JSON.parse(await text(response));
          if (response.statusCode === 200) return resolve(answer);
          reject(Object.assign(new Error(answer.message), answer, { name: answer.__type.split('#').at(-1) }));
        });
        call.end(JSON.stringify(command.input));
      }),
    destroy: () => agent.destroy(),
  };
}
