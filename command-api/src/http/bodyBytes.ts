import { Buffer, isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { applicationError, type ErrorAnswer } from './errors.js';

/** The largest body that is accepted. */
export const bodyLimitBytes = limitTable.bodyBytes.value;

export const bodyMessages = {
  notJson: 'The body is not valid JSON',
  notMessagePack: 'The body is not valid MessagePack',
  tooLarge: `The body is larger than ${bodyLimitBytes} bytes`,
  wrongType: 'Content-Type must be application/json',
  neitherType: 'Content-Type must be application/json or application/msgpack',
  wrongEncoding: 'The content encoding is not supported',
} as const;

/** A body that is too large is read to its end, so that its sender sees the answer, unless it is larger than this. */
const readToTheEndBytes = 16 * bodyLimitBytes;

const readRaw = express.raw({
  limit: bodyLimitBytes,
  // A compressed body of the allowed size could inflate to a thousand times that size.
  inflate: false,
  type: () => true,
});

export interface RequestAt {
  readonly id: string;
  readonly now: string;
}

/**
 * The body of a request, undefined where there is none. Throws an `ErrorAnswer`: 413 past the limit, 415 with the message for a type
 * that is not taken.
 */
export const readBodyBytes = async (
  request: IncomingMessage,
  response: ServerResponse,
  at: RequestAt,
  { isTaken, otherwise }: { readonly isTaken: (contentType: string) => boolean; readonly otherwise: string },
): Promise<Buffer | undefined> => {
  if (!hasBody(request)) return undefined;
  if (Number(request.headers['content-length'] ?? 0) > readToTheEndBytes) {
    response.setHeader('Connection', 'close');
    throw tooLarge(at);
  }
  if (!isTaken(contentTypeOf(request))) throw applicationError(415, otherwise, at);
  await new Promise<void>((resolve, reject) => {
    readRaw(request, response, (error?: unknown) => {
      if (error === undefined) resolve();
      else reject(bodyError(error, at));
    });
  });
  const { body: bytes } = request as { body?: unknown };
  if (!Buffer.isBuffer(bytes)) throw new TypeError('A body is read as bytes');
  return bytes;
};

export const contentTypeOf = ({ headers }: IncomingMessage): string => headers['content-type'] ?? '';

/** JSON is UTF-8: another charset in the content type is another type. */
export const isJsonType = (contentType: string): boolean =>
  /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?$/i.test(contentType);

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Decoding would drop a byte order mark, with which JSON must not begin, and replace what is not UTF-8. */
export const isJsonText = (bytes: Buffer): boolean =>
  !bytes.subarray(0, 3).equals(byteOrderMark) && isUtf8(bytes);

const hasBody = (request: IncomingMessage): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

const tooLarge = (at: RequestAt): ErrorAnswer => applicationError(413, bodyMessages.tooLarge, at);

const bodyError = (error: unknown, at: RequestAt): ErrorAnswer => {
  switch ((error as { type?: string }).type) {
    case 'entity.too.large':
      return tooLarge(at);
    case 'encoding.unsupported':
      return applicationError(415, bodyMessages.wrongEncoding, at);
    default:
      return applicationError(400, bodyMessages.notJson, at);
  }
};
