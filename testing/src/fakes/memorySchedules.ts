import {
  ownersOf,
  type BegunDelivery,
  type DeliveryBegin,
  type HeldSchedules,
  type NewSchedule,
  type ScheduledPublish,
  type ScheduleFilter,
  type ScheduleStore,
} from '@roomwire/shared/ports/scheduleStore';
import type { LogOrigin, LogPosition } from '@roomwire/shared/ports/eventLog';

interface Entry extends NewSchedule {
  readonly term: number;
  readonly messageId: string | null;
}

/** What survives every process; the simulator puts its network before it. */
export class MemorySchedules {
  private readonly entries = new Map<string, Entry>();
  private position: LogPosition | undefined;
  private from: LogOrigin | undefined;

  add(schedules: readonly NewSchedule[]): void {
    for (const schedule of schedules) {
      const { scheduledId, place } = schedule.publish;
      const known = this.entries.get(scheduledId);
      if (known === undefined || (known.messageId === null && known.publish.place < place))
        this.entries.set(scheduledId, { ...schedule, term: 0, messageId: null });
    }
  }

  cancel(projectId: string, scheduledId: string): boolean {
    const entry = this.entries.get(scheduledId);
    if (entry?.publish.projectId !== projectId || entry.messageId !== null) return false;
    return this.entries.delete(scheduledId);
  }

  list(projectId: string, { topic, after, limit }: ScheduleFilter): readonly ScheduledPublish[] {
    return this.sorted(
      ({ publish, messageId }) =>
        messageId === null &&
        publish.projectId === projectId &&
        (topic === undefined || publish.topic === topic) &&
        (after === undefined || order(publish, after) > 0),
    ).slice(0, limit);
  }

  held(projectId: string): HeldSchedules {
    const held = this.sorted(({ publish }) => publish.projectId === projectId);
    return { messages: held.length, bytes: held.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  due(shards: readonly number[], until: number, limit: number): readonly ScheduledPublish[] {
    return this.sorted(
      ({ publish: { shard, deliverAt } }) => deliverAt <= until && shards.includes(shard),
    ).slice(0, limit);
  }

  begin(deliveries: readonly DeliveryBegin[]): readonly BegunDelivery[] {
    return deliveries.flatMap(({ scheduledId, term, messageId }) => {
      const entry = this.entries.get(scheduledId);
      if (entry === undefined || entry.term > term) return [];
      const begun = { ...entry, term, messageId: entry.messageId ?? messageId };
      this.entries.set(scheduledId, begun);
      const { publish, data } = entry;
      return [{ publish, data, messageId: begun.messageId, isRepeated: entry.messageId !== null }];
    });
  }

  end(deliveries: readonly Pick<DeliveryBegin, 'scheduledId' | 'term'>[]): void {
    for (const { scheduledId, term } of deliveries)
      if ((this.entries.get(scheduledId)?.term ?? Infinity) <= term) this.entries.delete(scheduledId);
  }

  removeOf(owners: readonly string[]): number {
    const owned = this.sorted(({ publish }) => ownersOf(publish).some((owner) => owners.includes(owner)));
    for (const { scheduledId } of owned) this.entries.delete(scheduledId);
    return owned.length;
  }

  checkpoint(): LogPosition | undefined {
    return this.position;
  }

  moveCheckpoint(position: LogPosition | undefined, origin: LogOrigin | undefined): void {
    this.position = position;
    if (position === undefined || origin !== undefined) this.from = origin;
  }

  origin(): LogOrigin | undefined {
    return this.from;
  }

  private sorted(isWanted: (entry: Entry) => boolean): readonly ScheduledPublish[] {
    const found = [...this.entries.values()].filter(isWanted).map(({ publish }) => publish);
    return found.sort(order);
  }
}

type Place = Pick<ScheduledPublish, 'deliverAt' | 'place'>;

const order = (a: Place, b: Place): number =>
  a.deliverAt - b.deliverAt || Number(a.place > b.place) - Number(a.place < b.place);

/** One process' way to them. `around` is what is between, which may fail. */
export const schedulesOn = (
  schedules: MemorySchedules,
  around: <T>(act: () => T) => Promise<T> = async (act) => act(),
): ScheduleStore => ({
  add: (added) => around(() => schedules.add(added)),
  cancel: (projectId, scheduledId) => around(() => schedules.cancel(projectId, scheduledId)),
  list: (projectId, filter) => around(() => schedules.list(projectId, filter)),
  held: (projectId) => around(() => schedules.held(projectId)),
  due: (shards, until, limit) => around(() => schedules.due(shards, until, limit)),
  begin: (deliveries) => around(() => schedules.begin(deliveries)),
  end: (deliveries) => around(() => schedules.end(deliveries)),
  removeOf: (owners) => around(() => schedules.removeOf(owners)),
  checkpoint: () => around(() => schedules.checkpoint()),
  moveCheckpoint: (position, origin) => around(() => schedules.moveCheckpoint(position, origin)),
  origin: () => around(() => schedules.origin()),
  close: async () => undefined,
});
