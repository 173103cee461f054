import { expect } from 'chai';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import { openEmbeddedMessageBus } from '@roomwire/shared/adapters/message-bus/embeddedMessageBus';
import { openEmbeddedViewStores } from '@roomwire/shared/adapters/view-store/embeddedViewStore';
import type { NewEvent } from '@roomwire/shared/domain/eventEnvelope';
import { type DomainEvent, schemaVersions, UnknownEvent } from '@roomwire/shared/domain/events';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { LogFields } from '@roomwire/shared/ports/logger';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { domainEventFeed } from '@roomwire/shared/wire/bus/domainEventFeed';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { noPayloads } from '@roomwire/testing/fakes/noPayloads';
import { collectedMetrics } from '@roomwire/testing/run/collectedMetrics';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { createProjections, type Projections } from '../src/projections.js';
import { rebuildViews } from '../src/rebuildViews.js';
import { newEvent } from './support/history.js';

const actorCreated = (actorTokenId: string): DomainEvent => ({
  type: 'ActorCreated',
  data: {
    ...{ actorTokenId, projectId: 'p', accessScopeId: null, scopeMembershipId: null },
    ...{ keyId: `at_live_${actorTokenId}`, secretHash: 'h', name: 'Ada', actorType: 'user' },
    ...{ expiresAt: null, metadata: null },
  },
});

const known = (index: number): NewEvent => newEvent(actorCreated(`${index}`), index);

/** What a newer version may write. */
const unknown: Readonly<Record<string, NewEvent>> = {
  'of an unknown type': { ...known(90), type: 'SomethingNewer' },
  'of a newer schema version': { ...known(91), schemaVersion: schemaVersions.ActorCreated + 1 },
};

describe('projections that meet an event of a newer version', () => {
  let log: EventLog;
  let views: ViewStore;
  let projections: Projections;
  let errors: { readonly message: string; readonly fields: LogFields | undefined }[];
  let fed: string[];
  let start: () => Promise<void>;
  let close: () => Promise<void>;
  let revision: number | 'none';

  beforeEach(async () => {
    [errors, fed, revision] = [[], [], 'none'];
    const temporary = await temporaryFolder();
    const folder = await openDataFolder(temporary.path);
    log = await openEmbeddedEventLog(folder);
    const stores = await openEmbeddedViewStores(folder);
    ({ views } = stores);
    const bus = await openEmbeddedMessageBus(folder);
    await bus.read(domainEventFeed, { interest: 'all' }, ({ id }) => void fed.push(id));
    const logger = {
      ...silentLogger,
      error: (message: string, fields?: LogFields) => void errors.push({ message, fields }),
    };
    projections = createProjections({
      ...{ log, views, bus, payloads: noPayloads, clock: new ManualClock(), logger },
      options: { takeOverAfterMs: 20 },
    });
    start = () => projections.start();
    close = async () => {
      await projections.close();
      for (const each of [bus, stores, log, folder]) await each.close();
      await temporary.remove();
    };
  });
  afterEach(() => close());

  const append = async (...events: readonly [NewEvent, ...NewEvent[]]): Promise<string> => {
    const appended = await log.append('s', revision, events);
    ({ revision } = appended);
    return appended.position;
  };
  const metric = async (): Promise<number | undefined> =>
    (await collectedMetrics(projections.collect)).get('roomwire_projection_unknown_events_total');

  for (const [what, event] of Object.entries(unknown)) {
    it(`stop before one ${what}, say so once, and are not ready`, async () => {
      await start();
      const before = await append(known(1));
      await append(event, known(2));
      await eventually(() => projections.hindrance() !== undefined);
      expect([await views.checkpoint(), await views.count('actors', {})]).to.eql([before, 1]);
      expect(fed).to.have.length(1);
      expect(projections.hindrance()).to.contain(event.id).and.to.contain('update projections');
      // Long enough for it to look again, and to be told again if it were.
      let looks = 0;
      const checkpoint = views.checkpoint.bind(views);
      views.checkpoint = () => ((looks += 1), checkpoint());
      await eventually(() => looks > 3);
      expect(errors.map(({ fields }) => fields?.['remedy'])).to.eql(['update projections']);
      expect(await metric()).to.equal(1);
      expect(await views.checkpoint()).to.equal(before);
    });

    it(`write what is before one ${what} in the same batch`, async () => {
      await append(known(1));
      await start();
      await projections.caughtUp;
      await append(known(2), known(3), event, known(4));
      await eventually(() => projections.hindrance() !== undefined);
      expect(await views.count('actors', {})).to.equal(3);
      // The first was there before the read models: the past is not fed.
      expect(fed).to.eql([known(2).id, known(3).id]);
    });
  }

  it('stop before the very first event', async () => {
    let looks = 0;
    const checkpoint = views.checkpoint.bind(views);
    views.checkpoint = () => ((looks += 1), checkpoint());
    await append(unknown['of an unknown type'] as NewEvent);
    await start();
    await eventually(() => projections.hindrance() !== undefined);
    const before = looks;
    await eventually(() => looks > before + 3);
    expect(projections.hindrance()).to.not.equal(undefined);
    expect(errors).to.have.length(1);
  });

  it('stand by when a newer version goes on, and take over where it ends', async () => {
    await start();
    await append(known(1));
    const position = await append(unknown['of an unknown type'] as NewEvent);
    await eventually(() => projections.hindrance() !== undefined);
    await views.apply({ changes: [], position });
    await projections.caughtUp;
    await eventually(() => projections.hindrance() === undefined);
    await append(known(2));
    await eventually(async () => (await views.count('actors', {})) === 2);
    expect(await metric()).to.equal(1);
  });

  it('are not rebuilt without it', async () => {
    await start();
    await append(known(1));
    const position = await append(unknown['of a newer schema version'] as NewEvent);
    await eventually(() => projections.hindrance() !== undefined);
    await views.apply({ changes: [], position });
    const rebuilt = rebuildViews({ log, views, logger: silentLogger });
    expect(await rebuilt.catch((error: unknown) => error)).to.be.instanceOf(UnknownEvent);
    expect(await views.count('actors', {})).to.equal(1);
  });
});
