import { Buffer } from 'node:buffer';
import type { Clock } from '../../ports/clock.js';
import type { LogOrigin, LogPosition } from '../../ports/eventLog.js';
import type { NewPayload, PayloadLimits, PayloadStore, Pruned } from '../../ports/payloadStore.js';
import { once } from '../../runtime/service.js';
import { createGroupCommit } from '../lmdb/groupCommit.js';
import { StoreTransactions } from '../lmdb/storeTransactions.js';
import { systemClock } from '../system/systemClock.js';
import { PayloadTables } from './payloadTables.js';

/** Removals in one transaction, which takes a few milliseconds. */
const step = 100;

/** Payloads in an LMDB file. */
class EmbeddedPayloadStore implements PayloadStore {
  readonly limits: PayloadLimits;
  private readonly tables: PayloadTables;
  private readonly transactions: StoreTransactions;
  private readonly clock: Clock;

  private readonly puts = createGroupCommit<NewPayload, number>({
    transact: (work) => this.tables.environment.transact(work),
    write: (payloads) => payloads.map((payload) => this.add(payload)),
    committed: () => undefined,
    bytesOf: ({ content }) => content.length,
  });

  constructor(path: string, limits: PayloadLimits, clock: Clock) {
    this.tables = new PayloadTables(path);
    this.transactions = new StoreTransactions(this.tables.environment, 'payloads');
    this.limits = limits;
    this.clock = clock;
  }

  async put(payload: NewPayload): Promise<number> {
    this.transactions.assertOpen();
    return this.puts.submit(payload).catch(this.transactions.unavailable);
  }

  async get(id: string): Promise<Uint8Array | undefined> {
    this.transactions.assertOpen();
    const content = this.tables.contentSince(id, this.oldest);
    return content && Buffer.from(content);
  }

  async removeOf(owners: readonly string[]): Promise<number> {
    let removed = 0;
    for (const owner of owners) removed += await this.removeAll(() => this.tables.idsOf(owner, step));
    return removed;
  }

  async prune(): Promise<Pruned> {
    const expired = await this.removeAll(() => this.tables.idsUntil(this.oldest, step));
    let evicted = 0;
    for (const projectId of this.tables.projectsAbove(this.limits.quotaBytes))
      for (let some = step; some === step; evicted += some)
        some = await this.transactions.run(() => this.evict(projectId));
    return { expired, evicted };
  }

  async checkpoint(): Promise<LogPosition | undefined> {
    this.transactions.assertOpen();
    return this.tables.progress.checkpoint;
  }

  async moveCheckpoint(position: LogPosition | undefined, origin?: LogOrigin): Promise<void> {
    await this.transactions.run(() => this.tables.progress.move(position, origin));
  }

  async origin(): Promise<LogOrigin | undefined> {
    this.transactions.assertOpen();
    return this.tables.progress.origin;
  }

  readonly close = once(() => this.transactions.close(() => this.puts.idle()));

  private get oldest(): number {
    return this.clock.now() - this.limits.retentionMs;
  }

  /** Within a transaction. */
  private add(payload: NewPayload): number {
    if (this.tables.has(payload.id)) return 0;
    if (payload.content.length > this.limits.quotaBytes) return 1;
    this.tables.add(payload, this.clock.now());
    return this.evict(payload.projectId);
  }

  /** Within a transaction: the oldest of a project, until it fits or a step is done. */
  private evict(projectId: string): number {
    let evicted = 0;
    while (evicted < step && this.tables.sizeOf(projectId) > this.limits.quotaBytes) {
      for (const id of this.tables.oldestOf(projectId, 1)) this.tables.remove(id);
      evicted += 1;
    }
    return evicted;
  }

  /** In steps, until none are found. */
  private async removeAll(find: () => readonly string[]): Promise<number> {
    for (let removed = 0; ;) {
      this.transactions.assertOpen();
      const ids = find();
      if (ids.length === 0) return removed;
      removed += await this.transactions.run(() => ids.filter((id) => this.tables.remove(id)).length);
    }
  }
}

interface Files {
  file(name: string): string;
}

export const openEmbeddedPayloadStore = async (
  folder: Files,
  limits: PayloadLimits,
  clock: Clock = systemClock,
): Promise<PayloadStore> => new EmbeddedPayloadStore(folder.file('payloads.lmdb'), limits, clock);
