import {
  foldFact,
  growBy,
  placedFacts,
  type FoldedConnection,
  type GrownConnection,
} from '../connectionFold.js';
import type { WrittenBatch } from './writtenBatch.js';

export interface OpenConnection {
  readonly connection: FoldedConnection;
  /** The time of its last fact. */
  readonly at: number;
}

interface Kept extends OpenConnection {
  connection: GrownConnection;
  at: number;
}

/** The connections that have not closed, in memory: of gateways that have begun in this process, and of others once they are asked for. */
export class OpenConnections {
  private readonly ofGateways = new Map<string, Map<string, Kept>>();

  /** Whether all of a gateway are here. */
  knows(gateway: string): boolean {
    return this.ofGateways.has(gateway);
  }

  /** All that a gateway has. */
  begin(gateway: string, open: Iterable<OpenConnection> = []): void {
    const all = [...open].map(
      ({ connection, at }) => [connection.connectionId, { connection: { ...connection }, at }] as const,
    );
    this.ofGateways.set(gateway, new Map(all));
  }

  /** The connections of a gateway, all of which are here, have had these facts. Those of connections that are not open are passed over. */
  follow({ gateway, number, facts }: Pick<WrittenBatch, 'gateway' | 'number' | 'facts'>): void {
    const open = this.ofGateways.get(gateway);
    if (open === undefined) return;
    for (const recorded of placedFacts({ number, facts })) {
      const { kind, connection: id, at } = recorded.fact;
      const kept = open.get(id);
      if (kept === undefined || kind === 'standing') {
        const connection = foldFact(kept?.connection, recorded, gateway);
        if (connection !== undefined) open.set(id, { connection, at });
      } else if (kind === 'closed') open.delete(id);
      else {
        kept.at = at;
        if (kind !== 'authenticated') growBy(kept.connection, recorded);
      }
    }
  }

  get(connectionId: string): FoldedConnection | undefined {
    for (const open of this.ofGateways.values()) {
      const found = open.get(connectionId);
      if (found !== undefined) return found.connection;
    }
    return undefined;
  }

  of(gateway: string): readonly FoldedConnection[] {
    return [...(this.ofGateways.get(gateway)?.values() ?? [])].map(({ connection }) => connection);
  }

  /** The gateway does not have those any more that had no fact since a place. */
  endBefore(gateway: string, place: string): void {
    const open = this.ofGateways.get(gateway);
    for (const [id, { connection }] of open ?? []) if (connection.last < place) open?.delete(id);
  }

  forget(isForgotten: (connection: FoldedConnection, at: number) => boolean): void {
    for (const open of this.ofGateways.values())
      for (const [id, { connection, at }] of open) if (isForgotten(connection, at)) open.delete(id);
  }

  end(gateway: string): void {
    this.ofGateways.delete(gateway);
  }
}
