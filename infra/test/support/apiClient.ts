import { once } from 'node:events';
import { connect } from 'node:net';
import { type Answer, conformanceOf } from './conformance.js';

export interface ApiClient {
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  patch(path: string, body?: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  /** Any request, with nothing added to it but the credential. */
  send(path: string, init?: RequestInit): Promise<Answer>;
}

/**
 * A REST client with one credential; `undefined` sends none. Paths are relative to `/v1`.
 * Rejects where an answer is not as the API's description says, so that every test is one of that as well.
 */
export const apiClient = (baseUrl: string, credential: string | undefined): ApiClient => {
  const send = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const headers = new Headers(init.headers);
    if (credential !== undefined && !headers.has('authorization'))
      headers.set('authorization', `Bearer ${credential}`);
    const response = await fetch(`${baseUrl}/v1${path}`, { ...init, headers });
    const text = await response.text();
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const answer = { status: response.status, body, headers: response.headers };
    const check = await conformanceOf(baseUrl);
    check({ method: init.method ?? 'GET', path, answer });
    return answer;
  };
  const withJson = (method: string) => (path: string, body?: unknown) =>
    send(path, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
  return {
    get: (path) => send(path),
    post: withJson('POST'),
    patch: withJson('PATCH'),
    delete: (path) => send(path, { method: 'DELETE' }),
    send,
  };
};

/** Sends bytes as they are to a service and resolves with its one answer, which must end the connection. */
export const rawRequest = async (
  baseUrl: string,
  ...parts: readonly (string | Uint8Array)[]
): Promise<Answer> => {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => void chunks.push(chunk));
  // A service that has answered need not take the rest.
  socket.on('error', () => undefined);
  for (const part of parts) socket.write(part);
  await once(socket, 'close');
  return parsed(Buffer.concat(chunks).toString());
};

const parsed = (text: string): Answer => {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [status = '', ...lines] = head.split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  const isJson = headers.get('content-type')?.startsWith('application/json') ?? false;
  return {
    status: Number(status.split(' ')[1]),
    headers,
    body: isJson ? (JSON.parse(body) as unknown) : body,
  };
};
