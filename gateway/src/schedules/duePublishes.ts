import { setImmediate as turn } from 'node:timers/promises';
import { shardCount } from '@roomwire/shared/domain/shards';
import type { Clock } from '@roomwire/shared/ports/clock';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { BegunDelivery, ScheduledPublish, ScheduleStore } from '@roomwire/shared/ports/scheduleStore';
import type { OwnedShards, ShardLeases } from '@roomwire/shared/ports/shardLeases';
import { once } from '@roomwire/shared/runtime/service';
import { withGivenId } from '@roomwire/shared/wire/bus/messageId';
import type { MessageIds } from '../publishing/messageIds.js';

export interface DuePublishesDeps {
  readonly store: Pick<ScheduleStore, 'due' | 'begin' | 'end'>;
  readonly leases: Pick<ShardLeases, 'own'>;
  readonly ids: Pick<MessageIds, 'next'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
  /** Resolves with those that are done. */
  readonly deliver: (deliveries: readonly BegunDelivery[]) => Promise<readonly BegunDelivery[]>;
  /** Between two looks at what is due. */
  readonly lookMs: number;
}

/** Publishes of one look: behind a long outage each look costs the store about as much, whatever it finds. */
const mostFound = 1_000;

/** Publishes of one step: many share each write to the store, and live traffic gets its turn between two steps. */
const mostAtOnce = 100;
const mostBytesAtOnce = 4 * 1024 * 1024;

/**
 * [WS-LATER-2] Makes the publishes of the shards that this process owns when their time has come, the earliest first. Each is begun in the store before and ended
 * after: what a killed owner has left between the two the next one makes once more, under the same message id.
 */
export class DuePublishes {
  readonly close = once(() => this.stop());
  /** How long the one that is due for longest has been so; milliseconds. */
  lateMs = 0;
  private readonly deps: DuePublishesDeps;
  private readonly terms = new Map<number, number>();
  private owned: OwnedShards | undefined;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private mustLook = false;
  private isStopped = false;

  constructor(deps: DuePublishesDeps) {
    this.deps = deps;
  }

  start(): void {
    this.owned = this.deps.leases.own('schedules', shardCount, {
      gained: (shard, term) => void this.terms.set(shard, term),
      lost: (shard) => {
        this.terms.delete(shard);
        return this.running;
      },
    });
    this.timer = setInterval(() => this.look(), this.deps.lookMs).unref();
    this.look();
  }

  /** One has been stored here: it may be due before the next look. */
  stored({ shard, deliverAt }: ScheduledPublish): void {
    if (this.terms.has(shard) && deliverAt <= this.deps.clock.now()) this.look();
  }

  private look(): void {
    if (this.isStopped || this.terms.size === 0) return;
    this.mustLook = true;
    this.running ??= this.makeDue().finally(() => (this.running = undefined));
  }

  /** Never rejects. What fails is due at the next look. */
  private async makeDue(): Promise<void> {
    try {
      while (this.mustLook && !this.isStopped && this.terms.size > 0) {
        this.mustLook = false;
        if (await this.makeSome()) this.mustLook = true;
        await turn();
      }
    } catch (error) {
      // An outage is told of by the engine.
      if (!(error instanceof EngineUnavailable))
        this.deps.logger.warn('Scheduled publishes could not be made; trying again', { error });
    }
  }

  /** Whether there may be more that can be made now. */
  private async makeSome(): Promise<boolean> {
    const { store, clock } = this.deps;
    const terms = new Map(this.terms);
    const now = clock.now();
    const due = await store.due([...terms.keys()], now, mostFound);
    this.lateMs = due[0] === undefined ? 0 : now - due[0].deliverAt;
    for (let made = 0; made < due.length && !this.isStopped; await turn()) {
      const some = fewBytes(due.slice(made, made + mostAtOnce));
      // What is no longer owned here is another's.
      const owned = some.filter(({ shard }) => this.terms.get(shard) === terms.get(shard));
      if (!(await this.make(owned, terms))) return false;
      made += some.length;
    }
    return due.length === mostFound;
  }

  /** Whether all of them are done. */
  private async make(
    some: readonly ScheduledPublish[],
    terms: ReadonlyMap<number, number>,
  ): Promise<boolean> {
    const { store, ids, deliver } = this.deps;
    const begun = await store.begin(
      some.map(({ shard, scheduledId, id }) => ({
        ...{ scheduledId, term: terms.get(shard) as number },
        messageId: withGivenId(ids.next(), id ?? scheduledId),
      })),
    );
    const done = await deliver(begun);
    await store.end(
      done.map(({ publish: { scheduledId, shard } }) => ({ scheduledId, term: terms.get(shard) as number })),
    );
    return done.length === some.length;
  }

  private async stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    await this.running;
    await this.owned?.close();
  }
}

/** The first ones: at least one, and no more than so many bytes. */
const fewBytes = (due: readonly ScheduledPublish[]): readonly ScheduledPublish[] => {
  let bytes = 0;
  const over = due.findIndex((publish) => (bytes += publish.bytes) > mostBytesAtOnce);
  return over < 0 ? due : due.slice(0, Math.max(1, over));
};
