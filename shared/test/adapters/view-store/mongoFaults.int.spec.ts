import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { openMongoViewStores } from '../../../src/adapters/view-store/mongo/mongoViewStore.js';
import { EngineUnavailable } from '../../../src/ports/errors.js';
import type { ViewStore, ViewStores } from '../../../src/ports/viewStore.js';
import { Outage } from '../../../src/runtime/outage.js';
import { createRecordingLogger, type RecordedLine } from '@roomwire/testing/fakes/loggers';
import { eventually } from '@roomwire/testing/run/eventually';
import { at, putRoom, rejectionOf } from '@roomwire/testing/contracts/view-store/storeUnderTest';
import { linkTo, type Link } from './mongoLink.js';
import { mongoUrl, testDatabase, type TestDatabase } from './mongoTestDatabase.js';

const answersWithinMs = 3_000;

describe('the MongoDB view store, when the server is unavailable', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let link: Link;
  let stores: ViewStores;
  let store: ViewStore;
  let lines: RecordedLine[];

  before(() => void mongoUrl());
  beforeEach(async () => {
    database = testDatabase();
    link = await linkTo(database.url);
    const recording = createRecordingLogger();
    ({ lines } = recording);
    const outage = new Outage({ logger: recording.logger, lost: 'It is away', back: 'It is back' });
    stores = await openMongoViewStores({ url: link.url, database: database.name, outage });
    await stores.views.admitReaders(undefined);
    store = stores.views;
    await store.apply({ changes: [putRoom('r')], position: at(1) });
  });
  afterEach(async () => {
    await stores.close();
    await link.close();
    await database.drop();
  });

  const reads = [
    () => store.get('rooms', 'r'),
    () => store.find('rooms', { filter: { appId: 'app' } }),
    () => store.count('rooms', {}),
    () => store.checkpoint(),
  ];
  const failInTime = async (): Promise<void> => {
    const from = performance.now();
    const failures = await Promise.all(
      Array.from({ length: 80 }, (_, n) =>
        rejectionOf((reads[n % reads.length] as () => Promise<unknown>)()),
      ),
    );
    expect(performance.now() - from).to.be.lessThan(answersWithinMs);
    for (const failure of failures) {
      expect(failure).to.be.instanceOf(EngineUnavailable);
      expect((failure as Error).message).to.equal('The read models cannot be reached');
      expect((failure as Error).cause).to.be.instanceOf(Error);
    }
  };
  const recovers = (): Promise<void> =>
    eventually(
      () =>
        store.get('rooms', 'r').then(
          (room) => room?.roomId === 'r',
          () => false,
        ),
      { withinMs: 5_000, what: 'the read models' },
    );

  it('fails reads in time while the server is down, and resumes by itself when it is back', async () => {
    await link.cut();
    for (let n = 0; n < 3; n += 1) await failInTime();
    expect(lines.map(({ message }) => message)).to.eql(['It is away']);
    expect(lines[0]?.fields?.['reason']).to.be.a('string').and.not.equal('The read models cannot be reached');
    await link.mend();
    await recovers();
    expect(lines.map(({ message }) => message)).to.eql(['It is away', 'It is back']);
    await store.apply({ changes: [putRoom('r2')], position: at(2) });
    expect(await store.count('rooms', {})).to.equal(2);
  });

  it('fails reads in time while the server does not answer for ten seconds, and resumes by itself', async () => {
    link.freeze();
    const until = performance.now() + 10_000;
    while (performance.now() < until) await failInTime();
    link.thaw();
    await recovers();
    await Promise.all(Array.from({ length: 200 }, () => store.get('rooms', 'r')));
  });

  it('repeats a batch whose outcome is unknown', async () => {
    const batch = { changes: [putRoom('r'), putRoom('r2', { name: 'again' })], position: at(2) };
    link.freeze();
    expect(await rejectionOf(store.apply(batch))).to.be.instanceOf(EngineUnavailable);
    link.thaw();
    await eventually(
      () =>
        store.apply(batch).then(
          () => true,
          () => false,
        ),
      { withinMs: 10_000 },
    );
    expect(await store.checkpoint()).to.equal(at(2));
    expect((await store.get('rooms', 'r2'))?.name).to.equal('again');
  });

  it('waits for a position for the requested time at most, and sees it when the server is back in time', async () => {
    await link.cut();
    const from = performance.now();
    expect(await store.reached(at(1), 3_000)).to.equal(false);
    expect(performance.now() - from).to.be.within(2_900, 3_600);
    const back = store.reached(at(1), 15_000);
    await pause(500);
    await link.mend();
    expect(await back).to.equal(true);
  });

  it('reports that the server is unavailable when it is opened', async () => {
    await link.cut();
    const opening = openMongoViewStores({ url: link.url, database: database.name });
    expect(await rejectionOf(opening)).to.be.instanceOf(EngineUnavailable);
    await link.mend();
  });
});
