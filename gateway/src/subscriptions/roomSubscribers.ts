/** How many connections of this gateway are subscribed to at least one topic of a room. */
export class RoomSubscribers {
  private readonly connections = new Map<string, number>();

  /** Of an internal room. */
  in(room: string): number {
    return this.connections.get(room) ?? 0;
  }

  add(room: string, change: 1 | -1): void {
    const connections = this.in(room) + change;
    if (connections === 0) this.connections.delete(room);
    else this.connections.set(room, connections);
  }
}

/** For a connection that is counted nowhere. */
export const uncounted: Pick<RoomSubscribers, 'add'> = { add: () => undefined };

/** The rooms in which one connection is subscribed. */
export class SubscribedRooms {
  private readonly all: Pick<RoomSubscribers, 'add'>;
  /** The topics to which it is subscribed, by internal room. */
  private readonly topics = new Map<string, number>();

  constructor(all: Pick<RoomSubscribers, 'add'>) {
    this.all = all;
  }

  enter(room: string): void {
    const topics = this.topics.get(room) ?? 0;
    if (topics === 0) this.all.add(room, 1);
    this.topics.set(room, topics + 1);
  }

  leave(room: string): void {
    const topics = this.topics.get(room);
    if (topics === undefined) return;
    if (topics > 1) return void this.topics.set(room, topics - 1);
    this.topics.delete(room);
    this.all.add(room, -1);
  }
}
