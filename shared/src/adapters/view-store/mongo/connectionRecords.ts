import type { Collection } from 'mongodb';
import type { ConnectionCount } from '../../../ports/viewStore.js';
import { readLimits } from './clientSettings.js';

/** By gateway. */
export interface StoredConnections {
  readonly _id: string;
  readonly at: Date;
  /** By organization. */
  readonly connections: Readonly<Record<string, number>>;
}

/** The live connections, a document for each gateway. */
export class ConnectionRecords {
  readonly #collection: Collection<StoredConnections>;

  constructor(collection: Collection<StoredConnections>) {
    this.#collection = collection;
  }

  async note({ gatewayId, at, connections }: ConnectionCount): Promise<void> {
    const stored = { at: new Date(at), connections };
    await this.#collection.replaceOne({ _id: gatewayId }, stored, { upsert: true });
  }

  async of(organizationId: string, since: string): Promise<number> {
    const field = `connections.${organizationId}`;
    const options = { projection: { [field]: 1 }, ...readLimits() };
    const found = await this.#collection.find({ at: { $gte: new Date(since) } }, options).toArray();
    return found.reduce((total, { connections }) => total + (connections?.[organizationId] ?? 0), 0);
  }
}
