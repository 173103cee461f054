import type {
  ConnectionPage,
  ConnectionQuery,
  ConnectionRecord,
  RecordCoverage,
  RecordedConnection,
  RecordedFact,
  RunningGateway,
  TimelineQuery,
  TimeSpan,
} from '../../ports/connectionRecord.js';
import type { LogOrigin, LogPosition } from '../../ports/eventLog.js';
import { once } from '../../runtime/service.js';
import type { FactBatch } from '../../wire/bus/connectionFacts.js';
import { limitTable } from '../../wire/limits/limitTable.js';
import { placeOfConnection } from '../../wire/connectionPlaces.js';
import { shownConnection, type FoldedConnection } from './connectionFold.js';
import { coverageOf } from './coverage.js';
import { endedWith, endingGateway, type EndingGateway } from './files/endings.js';
import type { LookUps } from './files/lookUps.js';
import { OpenConnections } from './files/openConnections.js';
import { RecordFile } from './files/recordFile.js';
import { SegmentStore } from './files/segmentStore.js';
import { tellableFacts } from './files/writtenBatch.js';
import { findConnections, type ListedConnection } from './findConnections.js';
import { foldBatch, isForgotten, lostGateway } from './gatewayFold.js';

const mostHandOuts = 1_000;
/** That nothing happened is on disk after this time: until then a crash leaves it unknown. */
const quietMs = 60_000;

/** The record of connections in an LMDB file, which one process has. */
class EmbeddedConnectionRecord implements ConnectionRecord {
  private readonly file: RecordFile;
  private readonly store: SegmentStore;
  private readonly open = new OpenConnections();
  /** As far as they have told. */
  private readonly gateways: Map<string, EndingGateway>;
  /** How far that is on disk. */
  private readonly writtenUpTo: Map<string, number>;
  /** Facts that went for their number, and are not counted yet. */
  private evicted = 0;

  constructor(path: string, maxBytes: number) {
    this.file = new RecordFile(path);
    this.store = new SegmentStore(this.file, maxBytes);
    const gateways = this.file.allGateways();
    this.gateways = new Map(gateways.map((known) => [known.gateway, known]));
    this.writtenUpTo = new Map(gateways.map(({ gateway, knownUpTo }) => [gateway, knownUpTo]));
  }

  async write(batches: readonly FactBatch[]): Promise<void> {
    this.store.transactions.assertOpen();
    for (const batch of batches) await this.store.inTurn(() => this.writeOne(batch));
  }

  async find(query: ConnectionQuery): Promise<ConnectionPage> {
    this.store.transactions.assertOpen();
    for (const { gateway, end } of this.gateways.values())
      if (end === null && !this.open.knows(gateway)) await this.store.inTurn(() => this.loadOpen(gateway));
    const { connections, next } = await this.store.read((lookUps) =>
      findConnections(
        {
          listed: async (organizationId, list, range) =>
            list.of === 'open'
              ? this.listOpen(organizationId, range)
              : lookUps.listed(organizationId, list, range),
          load: (ids) => this.load(lookUps, ids),
          inRoom: (ids, room) => lookUps.inRoom(ids, room),
        },
        query,
      ),
    );
    return { connections: connections.map(shownConnection), next };
  }

  async get(organizationId: string, connectionId: string): Promise<RecordedConnection | undefined> {
    this.store.transactions.assertOpen();
    const [found] = await this.store.read((lookUps) => this.load(lookUps, [connectionId]));
    return found?.organizationId === organizationId ? shownConnection(found) : undefined;
  }

  async timeline(query: TimelineQuery): Promise<readonly RecordedFact[]> {
    return this.store.read((lookUps) => lookUps.timeline(query));
  }

  async handOuts(projectId: string, messageId: string): Promise<readonly RecordedFact[]> {
    return this.store.read((lookUps) => lookUps.handOuts(projectId, messageId, mostHandOuts));
  }

  async coverage(during: TimeSpan): Promise<RecordCoverage> {
    this.store.transactions.assertOpen();
    return coverageOf([...this.gateways.values()], this.file.forgottenUpTo, during);
  }

  async running(): Promise<readonly RunningGateway[]> {
    this.store.transactions.assertOpen();
    const running = [...this.gateways.values()].filter(({ end }) => end === null);
    return running.map(({ gateway, number }) => ({ gateway, number }));
  }

  async giveUp(gateways: readonly RunningGateway[], now: number): Promise<readonly string[]> {
    return this.store.inTurn(async () => {
      const lost = gateways.flatMap(({ gateway, number }) => {
        const known = this.gateways.get(gateway);
        return known?.end === null && known.number === number ? lostGateway(known, now) : [];
      });
      await this.store.transactions.run(() => lost.forEach((gateway) => this.file.putGateway(gateway)));
      for (const gateway of lost) this.follow(gateway);
      return lost.map(({ gateway }) => gateway);
    });
  }

  async prune(before: number): Promise<number> {
    const pruned = await this.store.forget(before);
    await this.store.inTurn(async () => {
      this.open.forget((_, at) => at < before);
      const forgotten = [...this.gateways.values()].filter((known) => isForgotten(known, before));
      await this.store.transactions.run(() =>
        forgotten.forEach(({ gateway }) => this.file.removeGateway(gateway)),
      );
      for (const { gateway } of forgotten) {
        this.gateways.delete(gateway);
        this.writtenUpTo.delete(gateway);
        this.open.end(gateway);
      }
    });
    const evicted = this.evicted;
    this.evicted = 0;
    return pruned + evicted;
  }

  async removeOf(projectIds: readonly string[]): Promise<void> {
    const removed = new Set(projectIds);
    await this.store.inTurn(async () => this.open.forget(({ projectId }) => removed.has(projectId)));
    await this.store.removeOf(removed);
  }

  async checkpoint(): Promise<LogPosition | undefined> {
    this.store.transactions.assertOpen();
    return this.file.progress.checkpoint;
  }

  moveCheckpoint(position: LogPosition | undefined, origin?: LogOrigin): Promise<void> {
    return this.store.transactions.run(() => this.file.progress.move(position, origin));
  }

  async origin(): Promise<LogOrigin | undefined> {
    this.store.transactions.assertOpen();
    return this.file.progress.origin;
  }

  async nextOffset(): Promise<number | undefined> {
    this.store.transactions.assertOpen();
    return this.file.nextOffset;
  }

  moveOffset(next: number): Promise<void> {
    return this.store.transactions.run(() => {
      this.file.nextOffset = Math.max(next, this.file.nextOffset ?? 0);
    });
  }

  resetOffset(known: number, next: number): Promise<void> {
    return this.store.transactions.run(() => {
      if (this.file.nextOffset === known) this.file.nextOffset = next;
    });
  }

  readonly close = once(() => this.store.close());

  private async writeOne(batch: FactBatch): Promise<void> {
    const { gateway } = batch;
    const known = this.gateways.get(gateway);
    if (this.isQuiet(batch, known)) return;
    const folded = foldBatch(known, batch);
    if (folded === undefined) return;
    if (known === undefined) this.open.begin(gateway);
    else await this.loadOpen(gateway);
    const open = (id: string): FoldedConnection | undefined => this.open.get(id);
    const facts = tellableFacts(batch, (id) => open(id) !== undefined);
    const told = endingGateway(known, folded);
    const put = (): void => this.file.putGateway(told);
    const written = { gateway, number: batch.number, facts };
    if (facts.every((fact) => fact === null)) await this.store.transactions.run(put);
    else await this.store.append(written, open, put);
    this.follow(told);
    this.open.follow(written);
    if (folded.ended !== undefined) this.open.endBefore(gateway, folded.ended.place);
    this.evicted += await this.store.evict();
  }

  /** What it says is on disk. */
  private follow(gateway: EndingGateway): void {
    this.gateways.set(gateway.gateway, gateway);
    this.writtenUpTo.set(gateway.gateway, gateway.knownUpTo);
  }

  /** Of a batch without anything in it only its time is kept, in memory: it costs no sync of the disk. */
  private isQuiet(batch: FactBatch, known: EndingGateway | undefined): boolean {
    const { facts, gap, handOutGap, isAccount, isLast, gateway, number, upTo } = batch;
    if (facts.length > 0 || gap || handOutGap || isAccount || isLast) return false;
    if (known?.end !== null || number !== known.number + 1) return false;
    if (upTo - (this.writtenUpTo.get(gateway) ?? 0) > quietMs) return false;
    this.gateways.set(gateway, { ...known, number, knownUpTo: upTo });
    return true;
  }

  /** In turn. Those of a gateway that has begun in this process are there. */
  private async loadOpen(gateway: string): Promise<void> {
    if (this.open.knows(gateway)) return;
    const found = await this.store.read((lookUps) => lookUps.openOf(gateway));
    const known = this.gateways.get(gateway);
    const isOpen = (connection: FoldedConnection): boolean =>
      known?.ends.every(({ place }) => connection.last >= place) !== false;
    this.open.begin(
      gateway,
      found.filter(({ connection }) => isOpen(connection)),
    );
  }

  private async load(lookUps: LookUps, ids: readonly string[]): Promise<readonly FoldedConnection[]> {
    const found = await lookUps.load(ids, (id) => this.open.get(id));
    return found.map((connection) => endedWith(connection, this.gateways.get(connection.gateway)));
  }

  private listOpen(
    organizationId: string,
    { before, limit }: { readonly before: string; readonly limit: number },
  ): readonly ListedConnection[] {
    return [...this.gateways.values()]
      .filter(({ end }) => end === null)
      .flatMap(({ gateway }) => this.open.of(gateway))
      .filter((connection) => connection.organizationId === organizationId)
      .map((connection) => ({ place: placeOfConnection(connection), connectionId: connection.connectionId }))
      .filter(({ place }) => place < before)
      .toSorted((one, other) => (one.place < other.place ? 1 : -1))
      .slice(0, limit);
  }
}

interface Files {
  file(name: string): string;
}

export const openEmbeddedConnectionRecord = async (
  folder: Files,
  maxBytes: number = limitTable.connectionRecordBytes.value,
): Promise<ConnectionRecord> => new EmbeddedConnectionRecord(folder.file('connections.lmdb'), maxBytes);
