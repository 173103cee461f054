import type { Clock } from '@roomwire/shared/ports/clock';
import type { HeldSchedules, ScheduleStore } from '@roomwire/shared/ports/scheduleStore';

interface ScheduleRoomDeps {
  readonly store: Pick<ScheduleStore, 'held'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Of one project. */
  readonly most: HeldSchedules;
  /** How long what was counted is taken for true. */
  readonly countedMs: number;
}

interface Counted {
  readonly at: number;
  messages: number;
  bytes: number;
}

/** Projects that are remembered. */
const maxProjects = 10_000;

/**
 * [WS-LATER-6] Whether a project may have another publish wait. What is there is counted from time to time, and what this gateway adds is added: other gateways
 * may exceed the bound by what they add meanwhile.
 */
export class ScheduleRoom {
  private readonly deps: ScheduleRoomDeps;
  private readonly counted = new Map<string, Counted>();

  constructor(deps: ScheduleRoomDeps) {
    this.deps = deps;
  }

  /** Takes the room; rejects when the store fails. */
  async take(projectId: string, bytes: number): Promise<boolean> {
    const { most } = this.deps;
    const held = this.recent(projectId) ?? (await this.count(projectId));
    if (held.messages + 1 > most.messages || held.bytes + bytes > most.bytes) return false;
    held.messages += 1;
    held.bytes += bytes;
    return true;
  }

  private recent(projectId: string): Counted | undefined {
    const counted = this.counted.get(projectId);
    const { clock, countedMs } = this.deps;
    return counted !== undefined && clock.monotonic() - counted.at < countedMs ? counted : undefined;
  }

  private async count(projectId: string): Promise<Counted> {
    const at = this.deps.clock.monotonic();
    const held = await this.deps.store.held(projectId);
    const counted = { at, ...held };
    if (this.counted.size >= maxProjects) this.counted.clear();
    this.counted.set(projectId, counted);
    return counted;
  }
}
