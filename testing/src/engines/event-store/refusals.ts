import { Metadata, status, type StatusObject } from '@grpc/grpc-js';

/** An answer that is an error; the client tells them apart by the entry `exception`. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: status;
  readonly details: string;
  readonly metadata = new Metadata();

  constructor(code: status, details: string, metadata: Readonly<Record<string, string>> = {}) {
    super(details);
    this.code = code;
    this.details = details;
    for (const [key, value] of Object.entries(metadata)) this.metadata.set(key, value);
  }
}

export const statusOf = (error: unknown): Partial<StatusObject> =>
  error instanceof Refusal
    ? { code: error.code, details: error.details, metadata: error.metadata }
    : { code: status.UNKNOWN, details: `Exception was thrown by handler. ${String(error)}` };

export const appendTooLarge = (limit: number): Refusal =>
  new Refusal(status.INVALID_ARGUMENT, `Maximum Append Size of ${limit} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(limit),
  });

export const metadataMissing = (property: string): Refusal =>
  new Refusal(status.INVALID_ARGUMENT, `Required Metadata Property '${property}' is missing`, {
    exception: 'missing-required-metadata-property',
    'required-metadata-properties': 'type,content-type',
  });

export const invalidPosition = (): Refusal =>
  new Refusal(status.INVALID_ARGUMENT, 'Trying to read from an invalid position.');

export const notLeader = (leaderPort: number): Refusal =>
  new Refusal(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': '127.0.0.1',
    'leader-endpoint-port': String(leaderPort),
  });

/** For nobody to read. */
export const hungUp = (): Refusal => new Refusal(status.CANCELLED, 'The client has hung up');

/** Whatever the tests have not needed yet. */
export const notImplemented = (what: string): Refusal =>
  new Refusal(status.UNIMPLEMENTED, `${what}: this server for tests does not know it`);
