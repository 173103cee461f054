import type { MongoClientOptions } from 'mongodb';

/** A read has answered or failed within this, whatever the server does: somebody waits for it. */
const readWithinMs = 2_500;

/** The driver's own limit for a whole operation, `timeoutMS`, has no effect in this version. */
export const readLimits = (): { readonly signal: AbortSignal; readonly maxTimeMS: number } => ({
  signal: AbortSignal.timeout(readWithinMs),
  maxTimeMS: readWithinMs,
});

export const clientSettings: MongoClientOptions = {
  appName: 'roomwire',
  // The driver's own limits are none, none and 30 s.
  socketTimeoutMS: 5_000,
  waitQueueTimeoutMS: 2_000,
  serverSelectionTimeoutMS: 3_000,
  connectTimeoutMS: 2_000,
  // A server that froze, or a connection that leads nowhere, is noticed without a request.
  heartbeatFrequencyMS: 5_000,
  maxPoolSize: 50,
  // Only there are the documents at least as new as the checkpoint.
  readPreference: 'primary',
  writeConcern: { w: 'majority' },
  ignoreUndefined: true,
};
