import type { Buffer } from 'node:buffer';
import type { BackendMessage } from '@roomwire/shared/ports/publishing';
import { workSlices, type WorkSlices } from '@roomwire/shared/runtime/workSlices';
import { isSoundJson } from '@roomwire/shared/wire/protocol/jsonScan';
import { jsonFields, messagePackFields, type FrameFields } from '@roomwire/shared/wire/protocol/frameFields';
import { listedItems } from '@roomwire/shared/wire/protocol/listedItems';
import { maxFrameFields } from '@roomwire/shared/wire/protocol/limits';
import { isSoundMessagePack } from '@roomwire/shared/wire/protocol/messagePackScan';
import {
  bodyMessages,
  contentTypeOf,
  isJsonText,
  isJsonType,
  readBodyBytes,
  type RequestAt,
} from '../http/bodyBytes.js';
import { applicationError, validationError, type FailedConstraint } from '../http/errors.js';
import type { ReadBody } from '../http/route.js';
import { listedFailures } from '../http/validation.js';
import { readMessage } from './messageFields.js';
import { mostMessages } from './resource.js';

/** What is to be published. */
export interface PublishRequest {
  /** Whether the answer is a list, too. */
  readonly isBatch: boolean;
  readonly messages: readonly BackendMessage[];
}

const isMessagePackType = (contentType: string): boolean =>
  /^application\/msgpack\s*;?$/i.test(contentType.trim());

const types = {
  isTaken: (contentType: string) => isJsonType(contentType) || isMessagePackType(contentType),
  otherwise: bodyMessages.neitherType,
};

/** By scans, as frames of the socket are read: neither the body nor any `data` is decoded. */
export const readPublishBody: ReadBody<PublishRequest> = async (request, response, at) => {
  const bytes = await readBodyBytes(request, response, at, types);
  if (bytes === undefined || bytes.length === 0) throw validationError([mustBeObject('')]);
  const isJson = isJsonType(contentTypeOf(request));
  if (isJson && !isJsonText(bytes)) throw unsound(isJson, at);
  // A scan of a MiB takes a slice or more, and many bodies may arrive at once.
  const slices = workSlices();
  const items = listedItems(bytes, isJson, 'messages', mostMessages);
  if (slices.isOver()) await slices.next();
  if (items !== undefined) return { isBatch: true, messages: await readItems(items, isJson, slices) };
  const fields = fieldsOf(bytes, isJson);
  if (fields === undefined)
    throw isSound(bytes, isJson) ? validationError([mustBeObject('')]) : unsound(isJson, at);
  const names = fields.names();
  if (names.includes('messages')) throw validationError([noBatch(names)]);
  if (slices.isOver()) await slices.next();
  const read = readMessage(fields);
  if ('failures' in read) throw validationError(read.failures);
  return { isBatch: false, messages: [read.message] };
};

const isSound = (bytes: Buffer, isJson: boolean): boolean =>
  isJson ? isSoundJson(bytes) : isSoundMessagePack(bytes);

const unsound = (isJson: boolean, at: RequestAt) =>
  applicationError(400, isJson ? bodyMessages.notJson : bodyMessages.notMessagePack, at);

const failed = (path: string, message: string): FailedConstraint => ({ path, value: null, message });
const mustBeObject = (path: string): FailedConstraint =>
  failed(path, `must be an object of at most ${maxFrameFields} fields, none of them __proto__`);
const noBatch = (names: readonly string[]): FailedConstraint =>
  failed('messages', names.length > 1 ? 'must be the only field' : 'must be array');

const readItems = async (
  items: readonly Buffer[],
  isJson: boolean,
  slices: WorkSlices,
): Promise<readonly BackendMessage[]> => {
  if (items.length === 0) throw validationError([failed('messages', 'must NOT have fewer than 1 items')]);
  if (items.length > mostMessages)
    throw validationError([failed('messages', `must NOT have more than ${mostMessages} items`)]);
  const messages: BackendMessage[] = [];
  const failures: FailedConstraint[] = [];
  for (const [at, item] of items.entries()) {
    if (slices.isOver()) await slices.next();
    const fields = fieldsOf(item, isJson);
    const read = fields ? readMessage(fields) : { failures: [mustBeObject('')] };
    if ('message' in read) messages.push(read.message);
    else failures.push(...read.failures.map((failure) => within(`messages.${at}`, failure)));
  }
  if (failures.length > 0) throw validationError(failures.slice(0, listedFailures));
  return messages;
};

/** Undefined for what is no object, or has too many fields for a frame. */
const fieldsOf = (bytes: Buffer, isJson: boolean): FrameFields | undefined => {
  const fields = isJson ? jsonFields(bytes) : messagePackFields(bytes);
  return fields?.isSound === true ? fields : undefined;
};

const within = (outer: string, { path, ...failure }: FailedConstraint): FailedConstraint => ({
  path: path === '' ? outer : `${outer}.${path}`,
  ...failure,
});
