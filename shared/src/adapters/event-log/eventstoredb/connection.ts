import { ErrorType, EventStoreDBClient, isCommandError, type CommandError } from '@eventstore/db-client';
import { EngineUnavailable } from '../../../ports/errors.js';
import { withTimeout } from '../../../runtime/waiting.js';

/** The server has not answered in time; what was asked may or may not have happened. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';

  constructor(withinMs: number) {
    super(`EventStoreDB has not answered within ${Math.round(withinMs)} ms`);
  }
}

/** The client's errors after which the same may succeed, on another connection or a little later. */
const passing: ReadonlySet<string> = new Set([
  ErrorType.UNAVAILABLE,
  ErrorType.DEADLINE_EXCEEDED,
  ErrorType.CANCELLED,
  ErrorType.TIMEOUT,
  ErrorType.NOT_LEADER,
  ErrorType.UNKNOWN,
]);

/** Whether asking again makes sense. What is not known as final may pass: appends and reads may be repeated. */
export const mayPass = (error: unknown): boolean => !isFinal(error) && !(error instanceof RangeError);

const isFinal = (error: unknown): boolean =>
  error instanceof Error && isCommandError(error) && (!passing.has(error.type) || isInvalidArgument(error));

/** The gRPC status `INVALID_ARGUMENT`, for which the client has no type. */
const invalidArgument = 3;

/** What was asked makes no sense to the server; of a read, that there is no record at the position. */
export const isInvalidArgument = (error: unknown): boolean =>
  error instanceof Error && isCommandError(error) && Number(error.code) === invalidArgument;

export const isOfType = (error: unknown, type: ErrorType): error is CommandError =>
  error instanceof Error && isCommandError(error) && error.type === type;

/** As the port wants it: what the caller did wrong stays what it is, everything else means the engine. */
export const asEngineFailure = (error: unknown): Error =>
  error instanceof EngineUnavailable || error instanceof RangeError
    ? error
    : new EngineUnavailable('event log', { cause: error });

/** Rejects with `NoAnswer` when the time is over first; what comes later is let go. */
export const answerWithin = <T>(withinMs: number, answer: Promise<T>): Promise<T> =>
  withTimeout(withinMs, answer, () => {
    throw new NoAnswer(withinMs);
  });

/** The client in use. Whoever sees it fail has it replaced and tries again with the next one. */
export interface Connection {
  readonly client: EventStoreDBClient;
  /** Puts a new client, with a network connection of its own, in the place of one that has failed. */
  renew(failed: EventStoreDBClient, error: unknown): void;
  /** Ends the calls that stream and lets go of the network connections. */
  close(): Promise<void>;
}

/** What 6.2.1 of the client has and does not declare for its users. */
interface Internals {
  supports: () => Promise<boolean>;
  createChannel: () => Promise<Channel>;
}

interface Channel {
  close(): void;
}

interface OwnClient {
  readonly client: EventStoreDBClient;
  /** Lets go of the network connections; calls under way go on to their end. */
  retire(): void;
}

const disposedWithinMs = 1_000;

let connections = 0;

/**
 * grpc-js hands the same network connection to channels with the same options, be it dead or waiting for its next
 * attempt. An option that differs a little, and of options given twice the last one counts, makes it open a new one.
 */
const urlOfItsOwn = (url: string): string => {
  const given = /keepAliveTimeout=(-?\d+)/i.exec(url)?.[1] ?? '10000';
  connections += 1;
  const timeoutMs = Number(given) < 0 ? given : Number(given) + (connections % 1_000);
  return `${url}${url.includes('?') ? '&' : '?'}keepAliveTimeout=${timeoutMs}`;
};

/** What the client says of a URL that it does not understand repeats parts of it, and there may be a password in them. */
const clientFor = (url: string): EventStoreDBClient => {
  try {
    return EventStoreDBClient.connectionString(url);
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
  // The client keeps its channels, and with them network connections, for ever.
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
      // One that has been told who leads the cluster goes there by itself.
      if (failed !== current.client || isOfType(error, ErrorType.NOT_LEADER)) return;
      current.retire();
      current = createClient(url);
    },
    close: async () => {
      // It waits for calls to end, also for those of a server that is gone.
      await answerWithin(disposedWithinMs, current.client.dispose()).catch(() => undefined);
      current.retire();
    },
  };
};

/** What 6.2.1 of the client knows of the server and does not declare for its users. */
interface Internals {
  readonly capabilities: Promise<{ readonly serverVersion: string }>;
}

/** The version of the server, as it names it. Rejects where it does not answer within the time. */
export const eventStoreDbVersion = async (url: string, withinMs: number): Promise<string> => {
  const connection = createConnection(url);
  try {
    const { capabilities } = connection.client as unknown as Internals;
    return (await answerWithin(withinMs, capabilities)).serverVersion;
  } finally {
    await connection.close();
  }
};
