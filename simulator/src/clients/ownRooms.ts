/** Where a connection is, as far as it can know. */
export type Whereabouts = 'in' | 'out' | 'unknown';

/** The rooms in which a connection is, and those in which it counts, by their slugs. */
export class OwnRooms {
  private readonly rooms = new Map<string, Whereabouts>();
  /** What it was told last; undefined before that. */
  private readonly counts = new Map<string, number | undefined>();

  where(room: string): Whereabouts {
    return this.rooms.get(room) ?? 'out';
  }

  /** How many are there, for one that counts and has been told. */
  counted(room: string): number | undefined {
    return this.counts.get(room);
  }

  announced(room: string, keep: boolean): void {
    if (!keep) for (const other of this.rooms.keys()) this.rooms.set(other, 'out');
    this.rooms.set(room, 'in');
  }

  left(room: string): void {
    this.rooms.set(room, 'out');
    this.counts.delete(room);
  }

  asked(room: string): void {
    this.counts.set(room, undefined);
  }

  /** One that was on its way when the connection left is passed over. */
  told(room: string, present: number): void {
    if (this.counts.has(room)) this.counts.set(room, present);
  }

  /** It may not be there, or count there, any more. */
  doubt(room: string): void {
    if (this.where(room) === 'in') this.rooms.set(room, 'unknown');
    this.counts.delete(room);
  }

  /** An announcement was refused, and what it would have ended goes on. */
  refused(room: string): void {
    for (const other of this.rooms.keys()) this.rooms.set(other, 'unknown');
    this.counts.delete(room);
  }
}
