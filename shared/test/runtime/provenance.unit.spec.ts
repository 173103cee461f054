import { expect } from 'chai';
import { openEmbeddedEventLog } from '../../src/adapters/event-log/embeddedEventLog.js';
import { openDataFolder } from '../../src/adapters/lmdb/dataFolder.js';
import type { EventLog, LogOrigin } from '../../src/ports/eventLog.js';
import { provenanceOf } from '../../src/runtime/provenance.js';
import { allEvents, newEvents } from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';

describe('the provenance of what is made from a log', () => {
  let closing: (() => Promise<void>)[];
  beforeEach(() => (closing = []));
  afterEach(async () => {
    for (const close of closing.reverse()) await close();
  });

  const logOf = async (...appends: ReturnType<typeof newEvents>[]): Promise<EventLog> => {
    const temporary = await temporaryFolder();
    const folder = await openDataFolder(temporary.path);
    const log = await openEmbeddedEventLog(folder);
    closing.push(
      () => temporary.remove(),
      () => folder.close(),
      () => log.close(),
    );
    for (const [index, events] of appends.entries()) await log.append(`room-${index}`, 'none', events);
    return log;
  };
  const originAt = async (log: EventLog, index: number): Promise<LogOrigin> => {
    const event = (await allEvents(log)).at(index);
    return { log: (await log.identity()) ?? '', position: event?.position ?? '', event: event?.id ?? '' };
  };

  const [past, future, otherFuture] = [newEvents(5), newEvents(3), newEvents(9)];

  it('is this log, also when it has grown, or is a copy', async () => {
    const origin = await originAt(await logOf(past), -1);
    expect(await provenanceOf(await logOf(past), origin.position, origin)).to.equal('this log');
    expect(await provenanceOf(await logOf(past, future), origin.position, origin)).to.equal('this log');
  });

  it('is another log, whether that is longer, shorter or empty', async () => {
    const origin = await originAt(await logOf(past), -1);
    for (const other of [newEvents(9), newEvents(5), newEvents(2)])
      expect(await provenanceOf(await logOf(other), origin.position, origin)).to.equal('another log');
    expect(await provenanceOf(await logOf(), origin.position, origin)).to.equal('another log');
  });

  it('is this log, before it was put back, also when it has grown beyond since', async () => {
    const origin = await originAt(await logOf(past, future), -1);
    for (const log of [await logOf(past), await logOf(past, otherFuture)])
      expect(await provenanceOf(log, origin.position, origin)).to.equal('this log, before it was put back');
  });

  it('without an origin is told from whether there is an event at the checkpoint', async () => {
    const log = await logOf(past);
    const { position } = await originAt(log, 2);
    expect(await provenanceOf(log, position, undefined)).to.equal('this log');
    for (const place of ['9'.repeat(16), `${'1'.repeat(20)}-${'1'.repeat(20)}`])
      expect(await provenanceOf(log, place, undefined)).to.equal('this log, before it was put back');
  });

  it('of a checkpoint that an older version has moved on is told from both', async () => {
    const log = await logOf(past, future);
    const [origin, later] = [await originAt(log, 2), await originAt(log, -1)];
    expect(await provenanceOf(log, later.position, origin)).to.equal('this log');
    expect(await provenanceOf(await logOf(past), later.position, origin)).to.equal(
      'this log, before it was put back',
    );
  });
});
