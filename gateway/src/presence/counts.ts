import type { Clock } from '@roomwire/shared/ports/clock';
import { presenceCountFrame } from '@roomwire/shared/wire/protocol/presenceFrames';
import { SetMultimap } from '../setMultimap.js';
import { FramesByName } from './framesByName.js';
import type { Transition } from './presenceTable.js';
import type { PresenceClient, Stay } from './stay.js';

/** A session that counts who is in a room. */
export interface Count extends Stay {
  readonly client: Pick<PresenceClient, 'outbox'>;
  /** What it was told last. */
  present: number;
  /** On the monotonic clock. */
  toldAt: number;
}

export interface CountsDeps {
  readonly clock: Clock;
  /** Actors in an internal room. */
  readonly present: (room: string) => number;
}

/** [WS-PRES-17] The least time between two counts. */
const restMs = 1_000;

/** How often `sweep` is to be called. */
export const countSweepMs = 200;

/** Who counts in which rooms of this gateway. Rooms in which nobody counts cost nothing, others the same however many come and go. */
export class Counts {
  private readonly deps: CountsDeps;
  private readonly byRoom = new SetMultimap<string, Count>();
  /** Rooms of which somebody may have to be told. */
  private readonly changed = new Set<string>();

  constructor(deps: CountsDeps) {
    this.deps = deps;
  }

  /** Tells it at once. */
  begin({ client, roomId, access }: Pick<Count, 'client' | 'roomId' | 'access'>): Count {
    const present = this.deps.present(access.room);
    const count = { client, roomId, access, present, toldAt: this.deps.clock.monotonic() };
    this.byRoom.add(access.room, count);
    client.outbox.push(presenceCountFrame(roomId, present));
    return count;
  }

  end(count: Count): void {
    this.byRoom.delete(count.access.room, count);
  }

  notify({ room, event }: Transition): void {
    if (event !== 'update' && this.byRoom.get(room) !== undefined) this.changed.add(room);
  }

  /** Tells all whose last count is long enough ago, and no longer true. */
  sweep(): void {
    const before = this.deps.clock.monotonic() - restMs;
    for (const room of this.changed) if (this.tell(room, before)) this.changed.delete(room);
  }

  /** Returns whether all know. */
  private tell(room: string, before: number): boolean {
    const present = this.deps.present(room);
    const frames = new FramesByName((roomId: string) => presenceCountFrame(roomId, present));
    let areAllTold = true;
    for (const count of this.byRoom.get(room) ?? []) {
      if (count.present === present) continue;
      if (count.toldAt > before) {
        areAllTold = false;
        continue;
      }
      count.present = present;
      count.toldAt = before + restMs;
      count.client.outbox.push(frames.of(count.roomId));
    }
    return areAllTold;
  }
}
