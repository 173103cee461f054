import {
  MongoBulkWriteError,
  MongoClientClosedError,
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
} from 'mongodb';
import { EngineUnavailable, type EngineUse } from '../../ports/errors.js';

const duplicateKey = 11000;
const notImplemented = 238;
const unauthorized = 13;

const connectionErrors = [
  MongoNetworkError,
  MongoServerSelectionError,
  MongoOperationTimeoutError,
  MongoWriteConcernError,
  MongoClientClosedError,
  MongoNotConnectedError,
  MongoTopologyClosedError,
];

// The driver exports no classes for these.
const poolErrors: ReadonlySet<string> = new Set(['MongoWaitQueueTimeoutError', 'MongoPoolClosedError']);

/** The server steps down, starts, shuts down, or exceeded a time limit: a retry may succeed. */
const transientCodes: ReadonlySet<unknown> = new Set([
  6, 7, 50, 64, 89, 91, 189, 202, 262, 9001, 10107, 11600, 11602, 13435, 13436,
]);

const isOutOfTime = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'TimeoutError';

/** Socket errors that the driver passes on: the connection was lost between check-out and use. */
const socketErrors: ReadonlySet<unknown> = new Set([
  'EPIPE',
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ERR_STREAM_DESTROYED',
]);

const isSocketError = (error: unknown): boolean =>
  error instanceof Error && socketErrors.has((error as NodeJS.ErrnoException).code);

const isUnavailable = (error: MongoError): boolean =>
  connectionErrors.some((type) => error instanceof type) ||
  poolErrors.has(error.name) ||
  transientCodes.has(error.code) ||
  error.hasErrorLabel('RetryableWriteError') ||
  error.hasErrorLabel('SystemOverloadedError') ||
  (error instanceof MongoBulkWriteError && error.result.getWriteConcernError() !== undefined);

/**
 * The network error of a bulk write, which the driver wraps in the error class of an answered one: it then lists no failed
 * operation, although all of them may have failed.
 */
const underlying = (error: unknown): unknown =>
  error instanceof MongoBulkWriteError && error.errorResponse instanceof Error ? error.errorResponse : error;

/** `EngineUnavailable` for an engine that does not answer; any other error is a defect and is returned unchanged. */
export const portError = (error: unknown, use: EngineUse): unknown =>
  [error, underlying(error)].some(isMissingEngine) ? new EngineUnavailable(use, { cause: error }) : error;

const isMissingEngine = (error: unknown): boolean =>
  isOutOfTime(error) || isSocketError(error) || (error instanceof MongoError && isUnavailable(error));

export const isDuplicateKey = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === duplicateKey;

/** A server that speaks MongoDB's protocol without this command. */
export const isNotImplemented = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === notImplemented;

/** The user of this process may not do that. */
export const isUnauthorized = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === unauthorized;

/** Indexes of the operations with a duplicate key, undefined where there was any other error. */
export const duplicatesIn = (error: unknown): readonly number[] | undefined => {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError()) return undefined;
  const failed = [error.writeErrors].flat();
  if (failed.length === 0) return undefined;
  return failed.every(({ code }) => code === duplicateKey) ? failed.map(({ index }) => index) : undefined;
};
