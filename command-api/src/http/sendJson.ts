import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { workSlices } from '@roomwire/shared/runtime/workSlices';
import { isMadeAtOnce, isObject, itemTexts, jsonTexts } from './jsonTexts.js';

/** A list of any length that is read while it is sent. */
export interface RecordParts<T> {
  readonly parts: AsyncIterable<readonly T[]>;
  /** Of a page: where the next one begins, null on the last one. Called once all parts have been read. */
  readonly next?: () => string | null;
}

/** Bytes that are written at a time. */
const writtenAtOnce = 128 * 1024;

/** Bytes of an answer that is made at once. */
const shortAnswer = 16 * 1024;

/** Memory for a part of a long one: what is written at once, and the text that makes it so much. */
const partMemory = writtenAtOnce + 64 * 1024;

/** In UTF-8, of a UTF-16 code unit. */
const mostBytesPerUnit = 3;

/** Ends an answer with a JSON body, serialized with the replacer. */
export const sendJson = (
  response: ServerResponse,
  status: number,
  body: unknown,
  replacer?: (name: string, value: unknown) => unknown,
): void => endWith(response, status, JSON.stringify(body, replacer));

const endWith = (response: ServerResponse, status: number, body: string): void => {
  begin(response, status).setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
};

/**
 * Ends an answer of any size: it is serialized in slices, so that other requests do not wait for it, and no more of it is in memory
 * than the client reads. Resolves when it has been written, or the client has disconnected.
 */
export const sendAnswer = async (
  response: ServerResponse,
  status: number,
  answer: unknown,
): Promise<void> => {
  if (isInParts(answer)) return sendTexts(response, status, textsOfParts(answer));
  if (hasReadList(answer)) return sendTexts(response, status, textsOfPage(answer));
  if (isMadeAtOnce(answer)) return endWith(response, status, JSON.stringify(answer));
  return sendTexts(response, status, jsonTexts(answer));
};

const sendTexts = async (
  response: ServerResponse,
  status: number,
  texts: Iterable<string> | AsyncIterable<string>,
): Promise<void> => {
  const slices = workSlices();
  const unwritten = new Unwritten();
  for await (const text of texts) {
    unwritten.add(text);
    if (unwritten.bytes >= writtenAtOnce) {
      if (response.destroyed) return;
      if (!response.headersSent) begin(response, status);
      if (!unwritten.writeTo(response)) await drained(response);
      unwritten.clear(response);
    }
    // A short answer is made at once, however long its records were waited for.
    if (unwritten.bytes > shortAnswer && slices.isOver()) await slices.next();
  }
  if (!response.headersSent) begin(response, status).setHeader('Content-Length', unwritten.bytes);
  unwritten.end(response);
};

/** Part of a body, as bytes from the beginning: texts would be copied again and again by the collection of garbage. */
class Unwritten {
  bytes = 0;
  private full: Buffer[] = [];
  private memory = Buffer.allocUnsafe(shortAnswer);
  private used = 0;

  add(text: string): void {
    const most = text.length * mostBytesPerUnit;
    if (most > this.memory.length - this.used) this.takeMemory(Math.max(most, partMemory));
    const written = this.memory.write(text, this.used);
    this.used += written;
    this.bytes += written;
  }

  /** Whether the response takes more at once. */
  writeTo(response: ServerResponse): boolean {
    this.writeFull(response);
    return response.write(this.memory.subarray(0, this.used));
  }

  /** As the end of the response. */
  end(response: ServerResponse): void {
    this.writeFull(response);
    response.end(this.memory.subarray(0, this.used));
  }

  /** For what follows the part that was written. Its memory is used again where all of it has been sent. */
  clear(response: ServerResponse): void {
    if (response.writableLength > 0) this.memory = Buffer.allocUnsafe(partMemory);
    this.full = [];
    this.used = 0;
    this.bytes = 0;
  }

  private writeFull(response: ServerResponse): void {
    for (const part of this.full) response.write(part);
  }

  private takeMemory(bytes: number): void {
    this.full.push(this.memory.subarray(0, this.used));
    this.memory = Buffer.allocUnsafe(bytes);
    this.used = 0;
  }
}

async function* textsOfParts({ parts, next }: RecordParts<unknown>): AsyncIterable<string> {
  yield next ? '{"data":[' : '[';
  let separator = '';
  for await (const part of parts) {
    if (part.length === 0) continue;
    yield separator;
    yield* itemTexts(part);
    separator = ',';
  }
  yield next ? `],"next":${JSON.stringify(next())}}` : ']';
}

/** An object with lists that are read while it is sent. */
async function* textsOfPage(fields: object): AsyncIterable<string> {
  let separator = '{';
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    if (isRead(value)) yield* textsOfReadList(value);
    else yield* jsonTexts(value);
    separator = ',';
  }
  yield '}';
}

async function* textsOfReadList(records: AsyncIterable<unknown>): AsyncIterable<string> {
  let separator = '[';
  for await (const record of records) {
    yield separator;
    yield* jsonTexts(record);
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

const isRead = (value: unknown): value is AsyncIterable<unknown> =>
  isObject(value) && Symbol.asyncIterator in value;

const hasReadList = (answer: unknown): answer is object =>
  isObject(answer) && Object.values(answer).some(isRead);

const isInParts = (answer: unknown): answer is RecordParts<unknown> => isObject(answer) && 'parts' in answer;

const begin = (response: ServerResponse, status: number): ServerResponse => {
  response.statusCode = status;
  return response.setHeader('Content-Type', 'application/json; charset=utf-8');
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
