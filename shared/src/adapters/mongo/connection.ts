import { MongoClient, type Db, type MongoClientOptions } from 'mongodb';
import { EngineUnavailable, type EngineUse } from '../../ports/errors.js';
import type { OutageReport } from '../../runtime/outage.js';
import { portError } from './errors.js';

export interface MongoAddress {
  /** `mongodb://…` or `mongodb+srv://…`. */
  readonly url: string;
  /** By default the one in the URL, or `roomwire` where it has none. */
  readonly database?: string;
}

export interface MongoOptions extends MongoAddress {
  /** Of the server, with all its connections. */
  readonly outage?: OutageReport;
}

/** Limit of the duration of a read, since a request waits for it. */
const readTimeoutMs = 2_500;

/** The driver's own limit for a whole operation, `timeoutMS`, has no effect in this version. */
export const readLimits = (): { readonly signal: AbortSignal; readonly maxTimeMS: number } => ({
  signal: AbortSignal.timeout(readTimeoutMs),
  maxTimeMS: readTimeoutMs,
});

/** For writes that later ones build on: they must not be lost with a failing primary. */
export const durably = { writeConcern: { w: 'majority', journal: true } } as const;

const clientOptions: MongoClientOptions = {
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
  // Under these names they go before what the URL says. A primary that was cut off from the others does not answer with rights
  // that it alone has, or has not lost yet.
  readConcernLevel: 'majority',
  w: 'majority',
  ignoreUndefined: true,
};

const databaseInUrl = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/;

const databaseOf = (client: MongoClient, { url, database }: MongoAddress): Db =>
  client.db(database ?? databaseInUrl.exec(url)?.[1] ?? 'roomwire');

/** A client of one server, and its database. */
export class MongoConnection {
  readonly database: Db;
  private readonly client: MongoClient;
  private readonly use: EngineUse;
  private readonly outage: OutageReport | undefined;
  private isOpen = true;
  private closing: Promise<void> | undefined;

  constructor(options: MongoOptions, use: EngineUse) {
    this.client = new MongoClient(options.url, clientOptions);
    this.database = databaseOf(this.client, options);
    this.use = use;
    this.outage = options.outage;
  }

  async connect(): Promise<void> {
    await this.call(() => this.client.connect());
  }

  /**
   * Around everything that goes to the server: rejects with `EngineUnavailable` while it does not answer and after `close`,
   * and reports whether it answers.
   */
  async call<T>(action: () => Promise<T>): Promise<T> {
    if (!this.isOpen) throw new EngineUnavailable(this.use);
    try {
      const result = await action();
      this.outage?.over();
      return result;
    } catch (error) {
      const reported = portError(error, this.use);
      if (this.isOpen && reported instanceof EngineUnavailable) this.outage?.failed(reported);
      throw reported;
    }
  }

  /** `drain` resolves when the writes under way have ended; the connection is closed after that. */
  close(drain?: () => Promise<void>): Promise<void> {
    this.isOpen = false;
    return (this.closing ??= (async () => {
      await drain?.();
      await this.client.close();
    })());
  }
}

/**
 * Connects and opens a store on the connection, which the store closes from then on. Rejects with `EngineUnavailable` while
 * the server is away.
 */
export const openOnMongo = async <Store>(
  options: MongoOptions,
  use: EngineUse,
  open: (connection: MongoConnection) => Promise<Store>,
): Promise<Store> => {
  const connection = new MongoConnection(options, use);
  try {
    await connection.connect();
    return await open(connection);
  } catch (error) {
    await connection.close();
    throw error;
  }
};

/** Connects for one task. Errors are those of the driver. */
export const withMongo = async <T>(address: MongoAddress, task: (database: Db) => Promise<T>): Promise<T> => {
  const client = new MongoClient(address.url, clientOptions);
  try {
    await client.connect();
    return await task(databaseOf(client, address));
  } finally {
    await client.close();
  }
};
