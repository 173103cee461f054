import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { workSlices, type WorkSlices } from '@roomwire/shared/runtime/workSlices';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { bodyLimitBytes, bodyMessages, isJsonText, isJsonType, readBodyBytes } from './bodyBytes.js';
import { type JsonBounds, parseInSlices } from './slicedJson.js';
import { applicationError, validationError, type ErrorAnswer } from './errors.js';

const deepestNesting = limitTable.bodyNesting.value;

/** Of one object: the engine needs a microsecond or two for each in every step from parsing to storing. */
const mostFields = limitTable.bodyFields.value;

/**
 * The JSON body of a request, undefined where there is none. Throws an `ErrorAnswer`: 415 for another content type,
 * 413 past the limit, 400 for what is not JSON, is nested too deeply, has too many fields, names `__proto__` or has a number
 * that no double holds.
 */
export const readJsonBody = async (
  request: IncomingMessage,
  response: ServerResponse,
  at: { id: string; now: string },
): Promise<unknown> => {
  const jsonAlone = { isTaken: isJsonType, otherwise: bodyMessages.wrongType };
  const bytes = await readBodyBytes(request, response, at, jsonAlone);
  if (bytes === undefined) return undefined;
  // A MiB takes the time of several slices in each of these steps, and many may arrive at once.
  const slices = workSlices();
  const body = await parse(bytes, at, slices);
  if (slices.isOver()) await slices.next();
  await checkStructure(body, slices);
  if (slices.isOver()) await slices.next();
  checkWritten(body, bytes);
  if (slices.isOver()) await slices.next();
  return body;
};

/** A body of this size is parsed in a few milliseconds, and has no room for too many fields, whatever it holds. */
const largeBytes = 32 * 1024;

const parse = async (
  bytes: Buffer,
  at: { id: string; now: string },
  slices: WorkSlices,
): Promise<unknown> => {
  // One that was announced and has nothing in it.
  if (bytes.length === 0) return {};
  if (!isJsonText(bytes)) throw notJson(at);
  try {
    if (bytes.length <= largeBytes) return JSON.parse(bytes.toString()) as unknown;
    await slices.next();
    return await parseInSlices(bytes, bounds, slices);
  } catch (error) {
    throw error instanceof SyntaxError ? notJson(at) : error;
  }
};

const notJson = (at: { id: string; now: string }): ErrorAnswer =>
  applicationError(400, bodyMessages.notJson, at);

const tooDeep = (): ErrorAnswer => refused(`must not be nested deeper than ${deepestNesting} levels`);

const refused = (message: string): ErrorAnswer => validationError([{ path: '', value: null, message }]);

const bounds: JsonBounds = {
  levels: deepestNesting + 1,
  fields: mostFields,
  beyond: (bound) =>
    bound === 'levels' ? tooDeep() : refused(`must not have more than ${mostFields} fields in one object`),
};

/** How much longer a number such as `1e20` gets when it is written out. */
const longestWritten = 6;

/** No other value gets longer than it was sent. */
const hasExponent = /\d[eE]/;

/** A body that is stored is no larger than the limit either; the event log and the read models rely on that. */
const checkWritten = (body: unknown, received: Buffer): void => {
  if (received.length * longestWritten <= bodyLimitBytes || !hasExponent.test(received.toString('latin1')))
    return;
  if (Buffer.byteLength(JSON.stringify(body) ?? '') > bodyLimitBytes)
    throw refused(`must not be larger than ${bodyLimitBytes} bytes with its numbers written out`);
};

/** Without recursion, because the sender chooses the nesting; in slices, because it chooses the number of values. */
const checkStructure = async (body: unknown, slices: WorkSlices): Promise<void> => {
  let level: unknown[] = [body];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepestNesting) throw tooDeep();
    const next: unknown[] = [];
    for (const value of level) {
      addNested(value, next);
      if (slices.isOver()) await slices.next();
    }
    level = next;
  }
};

const addNested = (value: unknown, to: unknown[]): void => {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) if (isNested(item)) to.push(item);
    return;
  }
  if (Object.hasOwn(value, '__proto__'))
    throw validationError([{ path: '__proto__', value: null, message: 'is not a known field' }]);
  for (const name in value) {
    const item = (value as Readonly<Record<string, unknown>>)[name];
    if (isNested(item)) to.push(item);
  }
};

/** `JSON.parse` turns numbers that are too large into infinities, which would be null in the answer. */
const isNested = (value: unknown): boolean => {
  if (value === Infinity || value === -Infinity) throw refused('must not contain numbers beyond 1.8e308');
  return typeof value === 'object' && value !== null;
};
