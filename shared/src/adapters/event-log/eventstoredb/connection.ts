import { ErrorType, EventStoreDBClient } from '@eventstore/db-client';
import { answerWithin, isOfType } from './failures.js';

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
