import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { expect } from 'chai';
import type { PendingChanges } from '../../../src/adapters/view-store/snapshot.js';
import { SnapshotWriter } from '../../../src/adapters/view-store/snapshotWriter.js';
import { eventually } from '@roomwire/testing/run/eventually';
import { rejectionOf } from '@roomwire/testing/contracts/view-store/storeUnderTest';

/** A disk that keeps what a snapshot would, and that can be full. */
class Disk {
  isFull = false;
  writes = 0;
  isClosed = false;
  checkpoint: string | undefined;
  readonly documents = new Map<string, unknown>();
  whileWriting = (): void => {};

  async write(changes: PendingChanges): Promise<void> {
    this.writes += 1;
    this.whileWriting();
    if (this.isFull) throw new Error('The disk is full');
    if (changes.cleared) this.documents.clear();
    for (const [view, id, document] of changes.documents()) this.documents.set(`${view}/${id}`, document);
    this.checkpoint = changes.checkpoint;
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

describe('SnapshotWriter', () => {
  let disk: Disk;
  beforeEach(() => {
    disk = new Disk();
  });

  it('writes once for all changes within its interval', async () => {
    const writer = new SnapshotWriter(disk, 20, silentLogger);
    for (const position of ['1', '2', '3']) {
      writer.record('rooms', 'r', { position });
      writer.moveTo(position);
    }
    await eventually(() => disk.checkpoint === '3');
    expect(disk.writes).to.equal(1);
    expect(disk.documents.get('rooms/r')).to.deep.equal({ position: '3' });
    await writer.close();
    expect(disk.writes).to.equal(1);
  });

  it('does not postpone forever while changes continue', async () => {
    const writer = new SnapshotWriter(disk, 50, silentLogger);
    let position = 0;
    const changes = setInterval(() => writer.moveTo(String((position += 1))), 5);
    await eventually(() => disk.writes === 2);
    clearInterval(changes);
    expect(position).to.be.greaterThan(10);
    await writer.close();
  });

  it('writes pending changes when it is closed', async () => {
    const writer = new SnapshotWriter(disk, 60_000, silentLogger);
    writer.record('rooms', 'r', { n: 1 });
    writer.moveTo('1');
    await writer.close();
    expect(disk).to.include({ checkpoint: '1', isClosed: true });
  });

  it('keeps what could not be written, applies later changes to it and retries', async () => {
    const errors: unknown[] = [];
    const writer = new SnapshotWriter(disk, 5, {
      ...silentLogger,
      error: (_, fields) => errors.push(fields?.error),
    });
    disk.isFull = true;
    writer.record('rooms', 'r1', { n: 1 });
    writer.record('rooms', 'r2', { n: 1 });
    writer.moveTo('1');
    await eventually(() => errors.length > 1);
    writer.record('rooms', 'r2', { n: 2 });
    writer.record('rooms', 'r3', undefined);
    writer.moveTo('2');
    disk.isFull = false;
    await eventually(() => disk.checkpoint === '2');
    expect([...disk.documents]).to.deep.equal([
      ['rooms/r1', { n: 1 }],
      ['rooms/r2', { n: 2 }],
      ['rooms/r3', undefined],
    ]);
    await writer.close();
  });

  for (const when of ['after', 'during'] as const)
    it(`discards what could not be written when everything is cleared ${when} the attempt`, async () => {
      const writer = new SnapshotWriter(disk, 60_000, silentLogger);
      disk.documents.set('rooms/old', {});
      disk.isFull = true;
      if (when === 'during') disk.whileWriting = () => writer.clear(false);
      writer.record('rooms', 'r', { n: 1 });
      writer.moveTo('1');
      await rejectionOf(writer.flush());
      if (when === 'after') writer.clear(false);
      disk.isFull = false;
      disk.whileWriting = () => {};
      await writer.flush();
      expect(disk.checkpoint).to.equal(undefined);
      expect(disk.documents).to.be.empty;
      await writer.close();
    });

  it('reports when the last write failed, and closes the file nevertheless', async () => {
    const writer = new SnapshotWriter(disk, 60_000, silentLogger);
    disk.isFull = true;
    writer.moveTo('1');
    expect(await rejectionOf(writer.close())).to.have.property('message', 'The disk is full');
    expect(disk.isClosed).to.equal(true);
  });
});
