import { EngineUnavailable } from '../../ports/errors.js';
import {
  type ConnectionCount,
  formerWriters,
  type LastUse,
  type MessageCount,
  type UsageByWriter,
  type UsageStore,
} from '../../ports/usageStore.js';
import type { Snapshot, UsageKey } from './snapshot.js';
import type { SnapshotWriter } from './snapshotWriter.js';

/** Counts in memory; last uses and publishes go to disk with the next snapshot of the read models. */
export class EmbeddedUsageStore implements UsageStore {
  private readonly lastUseTimes = new Map<string, string>();
  /** By month and project, then by writer. */
  private readonly published = new Map<string, Map<string, number>>();
  /** By gateway. */
  private readonly connectionCounts = new Map<string, ConnectionCount>();
  private readonly writer: SnapshotWriter;
  private isOpen = true;

  constructor(snapshot: Snapshot, writer: SnapshotWriter) {
    this.writer = writer;
    for (const { id, at } of snapshot.readUses()) this.lastUseTimes.set(id, at);
    for (const [[month, projectId, counter], messages] of snapshot.readUsage())
      this.countersOf(projectId, month).set(counter, messages);
  }

  async noteUses(uses: readonly LastUse[]): Promise<void> {
    this.assertOpen();
    for (const { id, at } of uses) {
      const latest = this.lastUseTimes.get(id);
      if (latest !== undefined && latest >= at) continue;
      this.lastUseTimes.set(id, at);
      this.writer.recordUse(id, at);
    }
  }

  async lastUses(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    this.assertOpen();
    const found = new Map<string, string>();
    for (const id of ids) {
      const at = this.lastUseTimes.get(id);
      if (at !== undefined) found.set(id, at);
    }
    return found;
  }

  /** Drops the last use of a resource that was removed. */
  forgetUse(id: string): void {
    if (this.lastUseTimes.delete(id)) this.writer.recordUse(id, undefined);
  }

  async noteUsage(writer: string, counts: readonly MessageCount[]): Promise<void> {
    this.assertOpen();
    for (const { projectId, month, messages } of counts) {
      const counters = this.countersOf(projectId, month);
      if ((counters.get(writer) ?? 0) >= messages) continue;
      counters.set(writer, messages);
      this.writer.recordUsage([month, projectId, writer] satisfies UsageKey, messages);
    }
    await this.writer.settle();
  }

  async mergeUsage(writer: string, counts: readonly MessageCount[]): Promise<void> {
    this.assertOpen();
    for (const { projectId, month, messages } of counts) {
      const counters = this.published.get(`${month} ${projectId}`);
      if (counters?.get(writer) !== messages) continue;
      const merged = (counters.get(formerWriters) ?? 0) + messages;
      counters.delete(writer);
      counters.set(formerWriters, merged);
      this.writer.recordUsage([month, projectId, writer] satisfies UsageKey, undefined);
      this.writer.recordUsage([month, projectId, formerWriters] satisfies UsageKey, merged);
    }
    await this.writer.settle();
  }

  async usage(projectIds: readonly string[], month: string): Promise<ReadonlyMap<string, number>> {
    const found = await this.usageByWriter(projectIds, month);
    return new Map([...found].map(([projectId, counters]) => [projectId, sum(counters.values())]));
  }

  async usageByWriter(projectIds: readonly string[], month: string): Promise<UsageByWriter> {
    this.assertOpen();
    const found = new Map<string, ReadonlyMap<string, number>>();
    for (const projectId of projectIds) {
      const counters = this.published.get(`${month} ${projectId}`);
      if (counters) found.set(projectId, new Map(counters));
    }
    return found;
  }

  async noteConnections(count: ConnectionCount): Promise<void> {
    this.assertOpen();
    this.connectionCounts.set(count.gatewayId, count);
  }

  async connections(organizationId: string, since: string): Promise<number> {
    this.assertOpen();
    const live = [...this.connectionCounts.values()].filter(({ at }) => at >= since);
    return sum(live.map(({ connections }) => connections[organizationId] ?? 0));
  }

  close(): void {
    this.isOpen = false;
  }

  private countersOf(projectId: string, month: string): Map<string, number> {
    const key = `${month} ${projectId}`;
    const counters = this.published.get(key) ?? new Map<string, number>();
    this.published.set(key, counters);
    return counters;
  }

  private assertOpen(): void {
    if (!this.isOpen) throw new EngineUnavailable('read models');
  }
}

const sum = (numbers: Iterable<number>): number => {
  let total = 0;
  for (const each of numbers) total += each;
  return total;
};
