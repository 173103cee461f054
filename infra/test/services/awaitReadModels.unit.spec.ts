import { expect } from 'chai';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openDataFolder, type DataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import { openEmbeddedViewStores } from '@roomwire/shared/adapters/view-store/embeddedViewStore';
import { MadeFromAnotherLog } from '@roomwire/shared/ports/errors';
import type { EventLog, LogOrigin } from '@roomwire/shared/ports/eventLog';
import type { ViewStore, ViewStores } from '@roomwire/shared/ports/viewStore';
import { newEvents, rejectionOf } from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { awaitReadModels } from '../../src/services/awaitReadModels.js';

describe('a command-api that looks whether the read models fit the event log', () => {
  let temporary: TemporaryFolder;
  let folder: DataFolder;
  let log: EventLog;
  let stores: ViewStores;
  let views: ViewStore;
  let origin: LogOrigin;
  let aborting: AbortController;
  const { logger, lines } = createRecordingLogger();

  beforeEach(async () => {
    temporary = await temporaryFolder();
    folder = await openDataFolder(temporary.path);
    log = await openEmbeddedEventLog(folder);
    stores = await openEmbeddedViewStores(folder);
    ({ views } = stores);
    const events = newEvents(3);
    const { position } = await log.append('room-1', 'none', events);
    origin = { log: events[0].id, position, event: events.at(-1)?.id ?? '' };
    aborting = new AbortController();
    lines.length = 0;
  });
  afterEach(async () => {
    for (const each of [stores, log, folder]) await each.close();
    await temporary.remove();
  });

  const look = () => awaitReadModels({ log, views, logger, signal: aborting.signal });
  const madeFrom = (from: LogOrigin): Promise<void> =>
    views.apply({ changes: [], position: from.position, origin: from });

  it('starts where they do, and where there are none yet', async () => {
    await look();
    await madeFrom(origin);
    await look();
    expect(lines).to.eql([]);
  });

  it('is refused where they are of another log', async () => {
    await madeFrom({ ...origin, log: 'another', event: 'another' });
    expect(await rejectionOf(look())).to.be.instanceOf(MadeFromAnotherLog);
  });

  for (const [until, end] of [
    ['they are cleared to be made anew', () => views.clear()],
    ['it is closed', async () => aborting.abort()],
  ] as const)
    it(`waits where the log was put back, until ${until}`, async () => {
      await madeFrom({ ...origin, event: 'of the future' });
      let isOver = false;
      const waiting = look().then(() => (isOver = true));
      await eventually(() => lines.length > 0);
      expect(isOver).to.equal(false);
      await end();
      await waiting;
      expect(lines).to.have.length(1);
    });

  it('starts without a look while the log is away', async () => {
    await madeFrom({ ...origin, log: 'another', event: 'another' });
    await log.close();
    await look();
  });
});
