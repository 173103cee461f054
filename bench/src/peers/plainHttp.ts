import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { open } from 'lmdb';

/** The least that a REST service can do on this machine: JSON in, one durable put, JSON out. No routes, no checks. */
const store = open<string, string>(join(process.argv[2] ?? '.', 'plain.lmdb'), {
  noSubdir: true,
  encoding: 'string',
});

const answer = (response: ServerResponse, status: number, body: string): void => {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
};

const create = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  const id = randomUUID();
  const body = JSON.stringify({ id, ...(JSON.parse(text) as object), createdAt: new Date().toISOString() });
  await store.put(id, body);
  await store.flushed;
  answer(response, 201, body);
};

const server = createServer((request, response) => {
  if (request.method === 'POST') {
    create(request, response).catch((error: unknown) => answer(response, 500, String(error)));
  } else if (request.url === '/readyz') {
    answer(response, 200, '{"status":"ready"}');
  } else {
    const body = store.get(request.url?.split('/').at(-1) ?? '');
    answer(response, body === undefined ? 404 : 200, body ?? '{}');
  }
});

server.listen(Number(process.argv[3] ?? 0), '127.0.0.1', () => {
  process.stdout.write(`Ready on port ${(server.address() as AddressInfo).port}\n`);
});
