import type { FoldedConnection } from '../connectionFold.js';

export interface OpenConnection {
  readonly connection: FoldedConnection;
  /** The time of its last fact. */
  readonly at: number;
}

/** The connections that have not closed, in memory: of gateways that have begun in this process, and of others once they are asked for. */
export class OpenConnections {
  private readonly ofGateways = new Map<string, Map<string, OpenConnection>>();

  /** Whether all of a gateway are here. */
  knows(gateway: string): boolean {
    return this.ofGateways.has(gateway);
  }

  /** All that a gateway has. */
  begin(gateway: string, open: Iterable<OpenConnection> = []): void {
    const all = [...open].map((each) => [each.connection.connectionId, each] as const);
    this.ofGateways.set(gateway, new Map(all));
  }

  /** A connection of a gateway whose connections are here has had another fact. */
  change(connection: FoldedConnection, at: number): void {
    const open = this.ofGateways.get(connection.gateway);
    if (connection.closed === null) open?.set(connection.connectionId, { connection, at });
    else open?.delete(connection.connectionId);
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
