import type { ServerResponse } from 'node:http';
import type { PlainResponse } from './http-response.ts';

/** Sends an answer over `node:http`; done when it is handed to the connection, or the sender has hung up. */
export function sendResponse(response: PlainResponse, to: ServerResponse): void {
  to.statusCode = response.statusCode;
  for (const [name, value] of Object.entries(response.headers)) to.setHeader(name, value);
  for (const [name, values] of Object.entries(response.multiValueHeaders)) to.appendHeader(name, [...values]);
  if (response.cookies.length > 0) to.appendHeader('set-cookie', [...response.cookies]);
  to.end(bodyOf(response));
}

/** Answers for a handler that threw, with nothing of what it threw. */
export function failResponse(to: ServerResponse): void {
  if (to.headersSent) return void to.destroy();
  for (const name of to.getHeaderNames()) to.removeHeader(name);
  to.statusCode = 500;
  to.setHeader('content-type', 'application/problem+json');
  to.end(JSON.stringify({ type: 'about:blank', title: 'Internal Server Error', status: 500 }));
}

function bodyOf({ body, isBase64Encoded }: PlainResponse): Uint8Array | string | undefined {
  return body !== undefined && isBase64Encoded ? Buffer.from(body, 'base64') : body;
}
