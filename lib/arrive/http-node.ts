import type { IncomingMessage } from 'node:http';
import { ConfigurationError } from '../errors.ts';
import { type HttpRequest, headersOf } from './http-request.ts';

export type NodeRequest =
  | { readonly status: 'request'; readonly request: HttpRequest }
  | { readonly status: 'too-large' }
  /** The sender hung up before all of the body was there. */
  | { readonly status: 'gone' };

/**
 * Reads a request of `node:http`, its body up to `mostBytes`.
 *
 * @throws ConfigurationError when somebody has read the body already.
 */
export async function requestFromNode(original: IncomingMessage, mostBytes: number): Promise<NodeRequest> {
  // Its events are over and none would come: whoever stood in front of us took longer than the sender did.
  if (original.destroyed && !original.readableEnded) return { status: 'gone' };
  if (original.readableEnded || original.readableFlowing !== null) {
    throw new ConfigurationError(
      "the request's body has been read already; remove the body parser before this receiver, whose schema or parse reads it",
    );
  }
  if (Number(original.headers['content-length']) > mostBytes) return { status: 'too-large' };
  const body = await bodyOf(original, mostBytes);
  if (body.status !== 'read') return body;
  const [path, query] = addressOf(original);
  const request: HttpRequest = Object.freeze({
    method: String(original.method).toUpperCase(),
    path,
    query,
    headers: headersOf(original.headersDistinct),
    bytes: body.bytes,
    original,
  });
  return { status: 'request', request };
}

type Body =
  | { readonly status: 'read'; readonly bytes: Uint8Array }
  | Exclude<NodeRequest, { status: 'request' }>;

/** The stream is only paused when it brings too much: destroying it would cut the answer off. */
function bodyOf(stream: IncomingMessage, mostBytes: number): Promise<Body> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = (body: Body) => {
      stream.pause();
      stream.removeListener('data', take);
      resolve(body);
    };
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > mostBytes) end({ status: 'too-large' });
      else chunks.push(chunk);
    };
    stream.on('data', take);
    stream.once('end', () => end({ status: 'read', bytes: Buffer.concat(chunks) }));
    stream.once('error', () => end({ status: 'gone' }));
    stream.once('close', () => end({ status: 'gone' }));
  });
}

/** Frameworks that mount a listener under a path keep the whole one in `originalUrl`. */
function addressOf(
  original: IncomingMessage & { readonly originalUrl?: unknown },
): readonly [string, string] {
  const target = typeof original.originalUrl === 'string' ? original.originalUrl : (original.url ?? '/');
  // A proxy may send the absolute form, and nothing more of it than path and query counts.
  const url = /^https?:\/\/[^/?#]*/i.exec(target);
  const relative = url === null ? target : target.slice(url[0].length);
  const mark = relative.indexOf('?');
  return mark === -1 ? [relative || '/', ''] : [relative.slice(0, mark) || '/', relative.slice(mark + 1)];
}
