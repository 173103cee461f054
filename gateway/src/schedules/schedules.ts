import type { QueueWorker } from '@roomwire/shared/ports/messageBus';
import type { ScheduledPublish, ScheduleStore } from '@roomwire/shared/ports/scheduleStore';
import type { ShardLeases } from '@roomwire/shared/ports/shardLeases';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import { once, type Service } from '@roomwire/shared/runtime/service';
import type { MessageIds } from '../publishing/messageIds.js';
import { deliverDue, type DeliverDeps } from './dueDeliveries.js';
import { DuePublishes } from './duePublishes.js';
import { startScheduleRedrives, type RedriveDeps } from './redrivenSchedules.js';

export interface SchedulesDeps extends Omit<DeliverDeps, 'bus' | 'claims'> {
  readonly bus: MessageBus;
  readonly store: ScheduleStore;
  readonly leases: ShardLeases;
  readonly claims: RedriveDeps['claims'];
  readonly ids: Pick<MessageIds, 'next'>;
  /** Between two looks at what is due. */
  readonly lookMs: number;
}

/** What a gateway does for publishes that wait for their time. */
export class Schedules implements Service {
  readonly close = once(() => this.stop());
  private readonly deps: SchedulesDeps;
  private readonly due: DuePublishes;
  private redrives: QueueWorker | undefined;

  constructor(deps: SchedulesDeps) {
    this.deps = deps;
    this.due = new DuePublishes({ ...deps, deliver: (deliveries) => deliverDue(deps, deliveries) });
  }

  get lateMs(): number {
    return this.due.lateMs;
  }

  async start(): Promise<void> {
    this.redrives = await startScheduleRedrives({
      ...this.deps,
      onStored: (publish) => this.stored(publish),
    });
    this.due.start();
  }

  /** One has been stored here. */
  stored(publish: ScheduledPublish): void {
    this.due.stored(publish);
  }

  private async stop(): Promise<void> {
    await this.redrives?.close();
    await this.due.close();
  }
}
