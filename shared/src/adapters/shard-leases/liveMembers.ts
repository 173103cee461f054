import type { Member } from './leaseTable.js';

interface Seen {
  readonly beat: number | undefined;
  /** By the own monotonic clock. */
  readonly since: number;
}

/**
 * Who has renewed its leases lately, judged by the own monotonic clock alone: no two clocks are compared. What has stood still for as long
 * as `silenceMs`, seen by reads that succeeded at both ends of that time, is dead.
 */
export class LiveMembers {
  private readonly silenceMs: number;
  private seen: ReadonlyMap<string, Seen> = new Map();

  constructor(silenceMs: number) {
    this.silenceMs = silenceMs;
  }

  /** What one reading has shown: the members, and whom leases name that are perhaps no members any more. */
  note(members: readonly Member[], owners: Iterable<string>, now: number): void {
    const beats = new Map<string, number | undefined>();
    for (const owner of owners) beats.set(owner, undefined);
    for (const { id, beat } of members) beats.set(id, beat);
    this.seen = new Map(
      [...beats].map(([id, beat]) => {
        const before = this.seen.get(id);
        return [id, before?.beat === beat && before !== undefined ? before : { beat, since: now }];
      }),
    );
  }

  isAlive(id: string, now: number): boolean {
    const seen = this.seen.get(id);
    return seen !== undefined && now - seen.since < this.silenceMs;
  }

  /** Members that have been dead for so long that nobody needs to see them. */
  longDead(now: number): readonly { readonly id: string; readonly beat: number }[] {
    return [...this.seen].flatMap(([id, { beat, since }]) =>
      beat !== undefined && now - since >= 10 * this.silenceMs ? [{ id, beat }] : [],
    );
  }
}
