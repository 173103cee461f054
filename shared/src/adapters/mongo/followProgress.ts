import type { Collection, UpdateOptions } from 'mongodb';
import type { LogOrigin, LogPosition } from '../../ports/eventLog.js';
import { retryingDuplicates } from './collections.js';
import { readLimits, type MongoConnection } from './connection.js';

interface ProgressDocument {
  readonly _id: string;
  readonly position: LogPosition | null;
  readonly origin?: LogOrigin | null;
}

const _id = 'checkpoint';

/** How far a store has followed the event log, in a collection of its own. */
export class FollowProgress {
  private readonly connection: MongoConnection;
  private readonly documents: Collection<ProgressDocument>;
  private readonly writes: UpdateOptions;

  constructor(connection: MongoConnection, collection: string, writes: UpdateOptions = {}) {
    this.connection = connection;
    this.documents = connection.database.collection(collection);
    this.writes = writes;
  }

  async checkpoint(): Promise<LogPosition | undefined> {
    return (await this.read())?.position ?? undefined;
  }

  async origin(): Promise<LogOrigin | undefined> {
    return (await this.read())?.origin ?? undefined;
  }

  /** Undefined for the beginning. Without an origin the former one stays. */
  async move(position: LogPosition | undefined, origin?: LogOrigin): Promise<void> {
    const moved =
      position === undefined
        ? { position: null, origin: null }
        : { position, ...(origin !== undefined && { origin }) };
    const set = { $set: moved };
    await this.connection.call(() =>
      retryingDuplicates(() => this.documents.updateOne({ _id }, set, { ...this.writes, upsert: true })),
    );
  }

  private read(): Promise<ProgressDocument | null> {
    return this.connection.call(() => this.documents.findOne({ _id }, readLimits()));
  }
}
