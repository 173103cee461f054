import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';

/** Ends an answer with a JSON body, which the replacer may still change. */
export const sendJson = (
  response: ServerResponse,
  status: number,
  body: unknown,
  replacer?: (name: string, value: unknown) => unknown,
): void => {
  const text = JSON.stringify(body, replacer);
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
};
