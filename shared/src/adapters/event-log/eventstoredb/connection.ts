import { ErrorType, EventStoreDBClient, isCommandError, type CommandError } from '@eventstore/db-client';
import { EngineUnavailable } from '../../../ports/errors.js';
import type { OutageReport } from '../../../runtime/outage.js';
import { withTimeout } from '../../../runtime/waiting.js';

/** The server has not answered in time; the outcome of the request is unknown. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';

  constructor(withinMs: number) {
    super(`EventStoreDB has not answered within ${Math.round(withinMs)} ms`);
  }
}

/** The client's errors after which a retry may succeed, on another connection or a little later. */
const transient: ReadonlySet<string> = new Set([
  ErrorType.UNAVAILABLE,
  ErrorType.DEADLINE_EXCEEDED,
  ErrorType.CANCELLED,
  ErrorType.TIMEOUT,
  ErrorType.NOT_LEADER,
  ErrorType.UNKNOWN,
]);

/** Whether a retry makes sense. Unknown errors count as transient: appends and reads may be repeated. */
export const isTransient = (error: unknown): boolean => !isFinal(error) && !(error instanceof RangeError);

const isFinal = (error: unknown): boolean =>
  error instanceof Error && isCommandError(error) && (!transient.has(error.type) || isInvalidArgument(error));

/** The gRPC status `INVALID_ARGUMENT`, for which the client has no type. */
const invalidArgument = 3;

/** An invalid request; for a read, there is no event at the position. */
export const isInvalidArgument = (error: unknown): boolean =>
  error instanceof Error && isCommandError(error) && Number(error.code) === invalidArgument;

/**
 * What a server answers to a read of `$all` from a position at which no record begins. It may say so of other failures as well, so
 * it is asked twice.
 */
export const saysNoRecord = (error: unknown): boolean =>
  isOfType(error, ErrorType.UNKNOWN) && error.message.includes('Unexpected ReadAllResult: Error');

export const isOfType = (error: unknown, type: ErrorType): error is CommandError =>
  error instanceof Error && isCommandError(error) && error.type === type;

/** The port's error: a mistake of the caller stays as it is, everything else means that the engine is unavailable, and is reported. */
export const asEngineFailure = (error: unknown, outage: OutageReport): Error => {
  if (error instanceof EngineUnavailable || error instanceof RangeError) return error;
  const unavailable = new EngineUnavailable('event log', { cause: error });
  outage.failed(unavailable);
  return unavailable;
};

/** Rejects with `NoAnswer` after the time-out; ignores a late answer. */
export const answerWithin = <T>(withinMs: number, answer: Promise<T>): Promise<T> =>
  withTimeout(withinMs, answer, () => {
    throw new NoAnswer(withinMs);
  });

/** The client in use. A caller that sees it fail has it replaced, and retries with the next one. */
export interface Connection {
  readonly client: EventStoreDBClient;
  /** Replaces a client that has failed by a new one with a network connection of its own. */
  renew(failed: EventStoreDBClient, error: unknown): void;
  /** Ends streaming calls and releases the network connections. */
  close(): Promise<void>;
}

/** Undeclared members of version 6.2.1 of the client. */
interface Internals {
  supports: () => Promise<boolean>;
  createChannel: () => Promise<Channel>;
}

interface Channel {
  close(): void;
}

interface OwnClient {
  readonly client: EventStoreDBClient;
  /** Releases the network connections; calls in progress finish. */
  retire(): void;
}

const disposedWithinMs = 1_000;

let connections = 0;

/**
 * grpc-js shares one network connection between channels with the same options, even a dead one or one that waits for its next
 * attempt. A slightly different option makes it open a new one; of repeated options the last one counts.
 */
const urlOfItsOwn = (url: string): string => {
  const given = /keepAliveTimeout=(-?\d+)/i.exec(url)?.[1] ?? '10000';
  connections += 1;
  const timeoutMs = Number(given) < 0 ? given : Number(given) + (connections % 1_000);
  return `${url}${url.includes('?') ? '&' : '?'}keepAliveTimeout=${timeoutMs}`;
};

/** KurrentDB is EventStoreDB under its later name, and speaks the same protocol; this client knows the earlier one alone. */
const byEarlierName = (url: string): string => url.replace(/^kurrentdb(?=(\+discover)?:)/, 'esdb');

/** The client's own message on an invalid URL repeats parts of it, which may hold a password. */
const clientFor = (url: string): EventStoreDBClient => {
  try {
    return EventStoreDBClient.connectionString(byEarlierName(url));
  } catch {
    throw new RangeError('The URL of EventStoreDB is not one as in esdb://host:2113?tls=false');
  }
};

const createClient = (url: string): OwnClient => {
  const client = clientFor(urlOfItsOwn(url));
  const internals = client as unknown as Internals;
  // Appends in batches share a table of promises between all clients of the process: an error of one rejects the
  // appends of others, and a late answer then ends the process. Asking the server what it supports has no deadline.
  internals.supports = async () => false;
  // The client never closes its channels and their network connections.
  const channels = new Set<Channel>();
  const { createChannel } = internals;
  internals.createChannel = async () => {
    const channel = await createChannel();
    channels.add(channel);
    return channel;
  };
  return {
    client,
    retire: () => {
      for (const channel of channels) channel.close();
    },
  };
};

export const createConnection = (url: string): Connection => {
  let current = createClient(url);
  return {
    get client() {
      return current.client;
    },
    renew: (failed, error) => {
      // A client that knows the leader of the cluster reconnects to it on its own.
      if (failed !== current.client || isOfType(error, ErrorType.NOT_LEADER)) return;
      current.retire();
      current = createClient(url);
    },
    close: async () => {
      // `dispose` waits for calls to end, even those to an unreachable server.
      await answerWithin(disposedWithinMs, current.client.dispose()).catch(() => undefined);
      current.retire();
    },
  };
};

/** Undeclared members of version 6.2.1 of the client, about the server. */
interface Internals {
  readonly capabilities: Promise<{ readonly serverVersion: string }>;
}

/** The server's own version string. Rejects where it does not answer in time. */
export const eventStoreDbVersion = async (url: string, withinMs: number): Promise<string> => {
  const connection = createConnection(url);
  try {
    const { capabilities } = connection.client as unknown as Internals;
    return (await answerWithin(withinMs, capabilities)).serverVersion;
  } finally {
    await connection.close();
  }
};
