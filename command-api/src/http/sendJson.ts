import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** Records that are serialized at a time: some milliseconds of work. */
const recordsAtOnce = 500;

/** Ends an answer with a JSON body, serialized with the replacer. */
export const sendJson = (
  response: ServerResponse,
  status: number,
  body: unknown,
  replacer?: (name: string, value: unknown) => unknown,
): void => {
  const text = JSON.stringify(body, replacer);
  begin(response, status);
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
};

/**
 * Ends an answer with a list of any length, in pieces: other requests do not wait for its serialization, and no more of
 * it is in memory than the client reads. Resolves when it has been written, or the client has disconnected.
 */
export const sendList = async (
  response: ServerResponse,
  status: number,
  records: readonly unknown[],
): Promise<void> => {
  if (records.length <= recordsAtOnce) return sendJson(response, status, records);
  begin(response, status);
  for (let from = 0; from < records.length && !response.destroyed; from += recordsAtOnce) {
    const piece = JSON.stringify(records.slice(from, from + recordsAtOnce)).slice(1, -1);
    const isTaken = response.write(`${from === 0 ? '[' : ','}${piece}`);
    await (isTaken ? yieldToEventLoop() : drained(response));
  }
  response.end(']');
};

const begin = (response: ServerResponse, status: number): void => {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
};

/** Resolves when the written data has been sent, or the client has disconnected. */
const drained = async (response: ServerResponse): Promise<void> => {
  if (response.destroyed) return;
  await new Promise<void>((resolve) => {
    const goOn = (): void => {
      response.off('drain', goOn).off('close', goOn);
      resolve();
    };
    response.on('drain', goOn).on('close', goOn);
  });
};
