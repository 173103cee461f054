import { once } from 'node:events';
import { connect } from 'node:net';
import type { Answer } from './conformance.js';

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
