import type {
  ConnectionPage,
  ConnectionQuery,
  ConnectionRecord,
  RecordCoverage,
  RecordedConnection,
  RecordedFact,
  TimelineQuery,
  TimeSpan,
} from '../../ports/connectionRecord.js';
import type { LogOrigin, LogPosition } from '../../ports/eventLog.js';
import { once } from '../../runtime/service.js';
import type { FactBatch } from '../../wire/bus/connectionFacts.js';
import { limitTable } from '../../wire/limits/limitTable.js';
import { StoreTransactions } from '../lmdb/storeTransactions.js';
import { lostEnd, placedFacts, shownConnection, unrecordedEnd } from './connectionFold.js';
import { ConnectionTables } from './connectionTables.js';
import { coverageOf } from './coverage.js';
import { findConnections } from './findConnections.js';
import { foldBatch, isForgotten, type FoldedGateway, type UnsettledGap } from './gatewayFold.js';

/** Facts, or connections, in one transaction. */
const step = 500;
const mostHandOuts = 1_000;
/** That nothing happened is on disk after this time: until then a crash leaves it unknown. */
const quietMs = 60_000;

/** The record of connections in an LMDB file. */
class EmbeddedConnectionRecord implements ConnectionRecord {
  private readonly tables: ConnectionTables;
  private readonly transactions: StoreTransactions;
  private readonly maxBytes: number;
  /** Gateways as far as they have told, where what is on disk is behind. */
  private readonly ahead = new Map<string, FoldedGateway>();
  /** Facts that went for their number, and are not counted yet. */
  private evicted = 0;

  constructor(path: string, maxBytes: number) {
    this.tables = new ConnectionTables(path);
    this.transactions = new StoreTransactions(this.tables.environment, 'connection record');
    this.maxBytes = maxBytes;
  }

  async write(batches: readonly FactBatch[]): Promise<void> {
    this.transactions.assertOpen();
    for (const batch of batches)
      if (!this.isQuiet(batch)) {
        await this.transactions.run(() => this.writeOne(batch));
        this.ahead.delete(batch.gateway);
      }
    while (this.tables.bytes > this.maxBytes) {
      const evicted = await this.forgetBefore(Number.MAX_SAFE_INTEGER);
      if (evicted === 0) return;
      this.evicted += evicted;
    }
  }

  async find(query: ConnectionQuery): Promise<ConnectionPage> {
    this.transactions.assertOpen();
    const { connections, next } = await findConnections(
      {
        listed: async (organizationId, list, range) => this.tables.listed(organizationId, list, range),
        load: async (ids) => ids.flatMap((id) => this.tables.get(id) ?? []),
        inRoom: async (ids, room) => ids.filter((id) => this.tables.isInRoom(id, room)),
      },
      query,
    );
    return { connections: connections.map(shownConnection), next };
  }

  async get(organizationId: string, connectionId: string): Promise<RecordedConnection | undefined> {
    this.transactions.assertOpen();
    const found = this.tables.get(connectionId);
    return found?.organizationId === organizationId ? shownConnection(found) : undefined;
  }

  async timeline(query: TimelineQuery): Promise<readonly RecordedFact[]> {
    this.transactions.assertOpen();
    return this.tables.timeline(query);
  }

  async handOuts(projectId: string, messageId: string): Promise<readonly RecordedFact[]> {
    this.transactions.assertOpen();
    return this.tables.handOutsOf(projectId, messageId, mostHandOuts);
  }

  async coverage(during: TimeSpan): Promise<RecordCoverage> {
    this.transactions.assertOpen();
    return coverageOf(this.allGateways(), this.tables.forgottenUpTo, during);
  }

  async giveUpSilent(since: number, now: number): Promise<readonly string[]> {
    this.transactions.assertOpen();
    const silent = this.allGateways().filter(({ end, knownUpTo }) => end === null && knownUpTo < since);
    for (const { gateway } of silent)
      await this.transactions.run(() => {
        const known = this.gateway(gateway);
        if (known?.end !== null || known.knownUpTo >= since) return;
        this.tables.putGateway({ ...known, end: 'lost', endedBy: now });
        this.ahead.delete(gateway);
      });
    for (const { gateway, end } of this.tables.allGateways()) if (end === 'lost') await this.giveUp(gateway);
    return silent.map(({ gateway }) => gateway);
  }

  async prune(before: number): Promise<number> {
    let pruned = this.evicted;
    this.evicted = 0;
    for (let facts = step; facts === step; pruned += facts) facts = await this.forgetBefore(before);
    await this.transactions.run(() => {
      for (const known of this.tables.allGateways())
        if (isForgotten(known, before)) this.tables.removeGateway(known.gateway);
    });
    return pruned;
  }

  async removeOf(projectIds: readonly string[]): Promise<void> {
    this.transactions.assertOpen();
    for (const projectId of projectIds) {
      for (let ids = this.tables.connectionsOf(projectId, step); ids.length > 0;) {
        const removed = ids;
        await this.transactions.run(() => removed.forEach((id) => this.tables.remove(id)));
        ids = this.tables.connectionsOf(projectId, step);
      }
      await this.transactions.run(() => this.tables.removeProject(projectId));
    }
  }

  async checkpoint(): Promise<LogPosition | undefined> {
    this.transactions.assertOpen();
    return this.tables.progress.checkpoint;
  }

  moveCheckpoint(position: LogPosition | undefined, origin?: LogOrigin): Promise<void> {
    return this.transactions.run(() => this.tables.progress.move(position, origin));
  }

  async origin(): Promise<LogOrigin | undefined> {
    this.transactions.assertOpen();
    return this.tables.progress.origin;
  }

  async nextOffset(): Promise<number | undefined> {
    this.transactions.assertOpen();
    return this.tables.nextOffset;
  }

  moveOffset(next: number): Promise<void> {
    return this.transactions.run(() => void (this.tables.nextOffset = next));
  }

  readonly close = once(() => this.transactions.close());

  private gateway(gateway: string): FoldedGateway | undefined {
    return this.ahead.get(gateway) ?? this.tables.gateway(gateway);
  }

  private allGateways(): readonly FoldedGateway[] {
    return this.tables.allGateways().map((known) => this.ahead.get(known.gateway) ?? known);
  }

  /** Of a batch without anything in it only its time is kept, in memory: it costs no sync of the disk. */
  private isQuiet(batch: FactBatch): boolean {
    const [stored, known] = [this.tables.gateway(batch.gateway), this.gateway(batch.gateway)];
    const isEmpty = batch.facts.length === 0 && !batch.gap && !batch.handOutGap && !batch.isLast;
    const isNext = known?.end === null && batch.number === known.number + 1;
    if (!isEmpty || batch.isAccount || !isNext || stored === undefined) return false;
    if (batch.upTo - stored.knownUpTo > quietMs) return false;
    this.ahead.set(batch.gateway, { ...known, number: batch.number, knownUpTo: batch.upTo });
    return true;
  }

  /** Within a transaction. */
  private writeOne(batch: FactBatch): void {
    const folded = foldBatch(this.gateway(batch.gateway), batch);
    if (folded === undefined) return;
    const { gateway, isBack, ended } = folded;
    this.tables.putGateway(gateway);
    if (isBack)
      for (const connection of this.tables.ofGateway(batch.gateway, 'lost'))
        this.tables.end(connection, null);
    this.tables.add(placedFacts(batch), batch.gateway);
    if (ended) this.endUntold(batch.gateway, ended);
  }

  private endUntold(gateway: string, { from, to, place }: UnsettledGap): void {
    for (const connection of this.tables.ofGateway(gateway, 'open'))
      if (connection.last < place) this.tables.end(connection, unrecordedEnd(from, to));
  }

  /** Also what a process that has ended did not come to. */
  private async giveUp(gateway: string): Promise<void> {
    for (let given = step; given === step;)
      given = await this.transactions.run(() => {
        const known = this.tables.gateway(gateway);
        if (known?.end !== 'lost') return 0;
        const open = this.tables.ofGateway(gateway, 'open', step);
        for (const connection of open)
          this.tables.end(connection, lostEnd(known.knownUpTo, known.endedBy ?? known.knownUpTo));
        return open.length;
      });
  }

  private async forgetBefore(before: number): Promise<number> {
    this.transactions.assertOpen();
    const keys = this.tables.oldest(before, step);
    if (keys.length > 0) await this.transactions.run(() => keys.forEach((key) => this.tables.forget(key)));
    return keys.length;
  }
}

interface Files {
  file(name: string): string;
}

export const openEmbeddedConnectionRecord = async (
  folder: Files,
  maxBytes: number = limitTable.connectionRecordBytes.value,
): Promise<ConnectionRecord> => new EmbeddedConnectionRecord(folder.file('connections.lmdb'), maxBytes);
