/** Serves the chat's page, with the client as the workspace has built it, and a session to whoever says a name. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { ChatBackend } from './backend.mjs';

const {
  ROOMWIRE_API_URL: apiUrl = 'http://127.0.0.1:8080',
  ROOMWIRE_DATA_DIR: dataDir = 'data',
  CHAT_PORT: port = '3000',
} = process.env;

/** Where files come from, by the first part of their path. */
const folders = {
  '/sdk/': new URL('../../sdk/dist/src/', import.meta.url),
  '/msgpack/': new URL('../../node_modules/@msgpack/msgpack/dist.esm/', import.meta.url),
  '/': new URL('page/', import.meta.url),
};

const types = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
};

const backend = await ChatBackend.open(apiUrl, dataDir);

const sendFile = async (path, response) => {
  const file = path === '/' ? '/index.html' : path;
  const prefix = Object.keys(folders).find((start) => file.startsWith(start));
  const type = types[extname(file)];
  if (type === undefined) return response.writeHead(404).end();
  // The path of a parsed URL has no `..` left, and what is encoded stays so.
  const content = await readFile(new URL(file.slice(prefix.length), folders[prefix]));
  response.writeHead(200, { 'content-type': type }).end(content);
};

const sendSession = async (name, response) => {
  const session = await backend.sessionOf(name.trim().slice(0, 40));
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(session));
};

const answer = (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  const name = searchParams.get('name') ?? '';
  if (pathname !== '/session') return sendFile(pathname, response);
  return name.trim() === '' ? response.writeHead(400).end() : sendSession(name, response);
};

const server = createServer((request, response) => {
  Promise.resolve(answer(request, response)).catch((error) => {
    if (error.code !== 'ENOENT') console.error(error.message);
    response.writeHead(error.code === 'ENOENT' ? 404 : 503).end();
  });
});

server.listen(Number(port), '127.0.0.1', () =>
  console.log(`The chat is on http://127.0.0.1:${server.address().port}/`),
);
