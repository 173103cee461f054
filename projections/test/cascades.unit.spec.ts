import { expect } from 'chai';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import { openEmbeddedMessageBus } from '@roomwire/shared/adapters/message-bus/embeddedMessageBus';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { openEmbeddedViewStores } from '@roomwire/shared/adapters/view-store/embeddedViewStore';
import type { NewEvent, RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { DomainEvent } from '@roomwire/shared/domain/events';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { ViewChange, ViewStore } from '@roomwire/shared/ports/viewStore';
import { domainEventFeed } from '@roomwire/shared/wire/bus/domainEventFeed';
import type { Cascade } from '@roomwire/shared/wire/views/views';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { noPayloads } from '@roomwire/testing/fakes/noPayloads';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { markOf, oldestCascade, withCascade } from '../src/cascades.js';
import { createProjections, type Projections } from '../src/projections.js';
import { changesOf } from '../src/projectors.js';
import { newEvent, positionOf } from './support/history.js';

const recorded = (event: DomainEvent): RecordedEvent => ({
  ...newEvent(event, 1),
  ...{ stream: 's', revision: 0, position: '0000000000000007' },
});

describe('the cascade of a deletion', () => {
  const changes = (event: DomainEvent) => withCascade(recorded(event), changesOf(recorded(event)));

  it('is all that belongs to a project, its keys first', () => {
    const [removal, put, ...others] = changes({ type: 'ProjectDeleted', data: { projectId: 'p' } });
    expect(removal).to.eql({ remove: 'projects', id: 'p' });
    expect(put).to.deep.include({ put: 'cascades', id: 'p' });
    const { doc } = put as unknown as { readonly doc: Cascade };
    expect(doc).to.deep.include({
      ...{ deletedId: 'p', organizationId: 'o', owner: 'projectId' },
      ...{ removed: 0, createdPosition: '0000000000000007' },
    });
    expect(doc.views[0]).to.equal('apiKeys');
    expect(doc.views).to.have.length(11);
    expect(others).to.eql([]);
  });

  it('is the rooms of an app and their grants', () => {
    const [removal, put, ...others] = changes({ type: 'AppDeleted', data: { appId: 'a' } });
    expect(removal).to.eql({ remove: 'apps', id: 'a' });
    expect(put).to.have.nested.property('doc.owner', 'appId');
    expect(put).to.have.deep.nested.property('doc.views', ['grants', 'rooms']);
    expect(others).to.eql([]);
  });

  it('leaves other events as they are', () => {
    const event: DomainEvent = { type: 'RoomDeleted', data: { appId: 'a', roomId: 'r' } };
    expect(changes(event)).to.eql(changesOf(recorded(event)));
  });

  it('has nothing of which only a part is removed, nor what does not belong to a project or an app', () => {
    const event = recorded({ type: 'RoomDeleted', data: { appId: 'a', roomId: 'r' } });
    for (const filter of [
      { projectId: 'p', origin: 'api' },
      { projectId: { $lte: 'p' } },
      { roomId: 'r' },
      { origin: 'api' },
      {},
    ]) {
      const removal = { removeWhere: 'rooms', filter } as ViewChange;
      expect(withCascade(event, [removal])).to.eql([removal]);
    }
  });
});

describe('the oldest cascade', () => {
  let views: ViewStore;
  let close: () => Promise<void>;

  beforeEach(async () => {
    const temporary = await temporaryFolder();
    const folder = await openDataFolder(temporary.path);
    const stores = await openEmbeddedViewStores(folder);
    ({ views } = stores);
    close = async () => {
      for (const each of [stores, folder]) await each.close();
      await temporary.remove();
    };
  });
  afterEach(() => close());

  const cascadeAt = (index: number): ViewChange => {
    const doc: Cascade = {
      ...{ owner: 'projectId', deletedId: `p${index}`, organizationId: 'o', views: ['rooms'], removed: 0 },
      createdPosition: positionOf(index),
    };
    return { put: 'cascades', id: doc.deletedId, doc };
  };
  const apply = (upTo: number, ...changes: readonly ViewChange[]) =>
    views.apply({ changes, position: positionOf(upTo) });

  it('is the one that was deleted first', async () => {
    await apply(9, cascadeAt(3), cascadeAt(2), cascadeAt(4));
    await views.admitReaders(positionOf(9));
    expect(await oldestCascade(views)).to.include({ deletedId: 'p2' });
  });

  it('is one that the checkpoint covers', async () => {
    await apply(2, cascadeAt(3));
    await views.admitReaders(positionOf(2));
    expect(await oldestCascade(views)).to.equal(undefined);
    await apply(3);
    expect(await oldestCascade(views)).to.include({ deletedId: 'p3' });
  });

  it('is none of read models that are being filled, and of an empty log', async () => {
    await apply(3, cascadeAt(2));
    expect(await oldestCascade(views)).to.equal(undefined);
    await views.clear();
    await views.admitReaders(undefined);
    expect(await oldestCascade(views)).to.equal(undefined);
  });

  it('has a mark that moves with what is removed of it', async () => {
    await apply(2, cascadeAt(2));
    await views.admitReaders(positionOf(2));
    const cascade = (await oldestCascade(views)) as Cascade;
    const marks = [undefined, cascade, { ...cascade, removed: 7 }, { ...cascade, deletedId: 'other' }].map(
      markOf,
    );
    expect(marks).to.eql(['', 'p2 0', 'p2 7', 'other 0']);
  });
});

const never = new Promise<never>(() => undefined);
const roomsOfProject = 30;

describe('projections with a large deletion', () => {
  let log: EventLog;
  let views: ViewStore;
  let bus: MessageBus;
  let projections: Projections[];
  let close: () => Promise<void>;
  let revision: number | 'none';
  let fed: string[];

  beforeEach(async () => {
    [projections, revision, fed] = [[], 'none', []];
    const temporary = await temporaryFolder();
    const folder = await openDataFolder(temporary.path);
    log = await openEmbeddedEventLog(folder);
    const stores = await openEmbeddedViewStores(folder);
    ({ views } = stores);
    bus = await openEmbeddedMessageBus(folder);
    await bus.read(domainEventFeed, { interest: 'all' }, ({ type }) => void fed.push(type));
    close = async () => {
      for (const each of [...projections, bus, stores, log, folder]) await each.close();
      await temporary.remove();
    };
  });
  afterEach(() => close());

  const start = async (on: ViewStore): Promise<Projections> => {
    const instance = createProjections({
      ...{ log, views: on, bus, payloads: noPayloads, clock: systemClock, logger: silentLogger },
      options: { takeOverAfterMs: 20 },
    });
    projections.push(instance);
    await instance.start();
    await instance.caughtUp;
    return instance;
  };
  let index = 0;
  const append = async (...events: readonly DomainEvent[]): Promise<void> => {
    const [first, ...rest] = events.map((event) => newEvent(event, (index += 1)));
    const appended = await log.append('s', revision, [first as NewEvent, ...rest]);
    ({ revision } = appended);
    expect(await views.reached(appended.position, 5_000)).to.equal(true);
  };

  const roomCreated = (roomId: string, projectId: string): DomainEvent => ({
    type: 'RoomCreated',
    data: {
      ...{ roomId, appId: `app of ${projectId}`, projectId, name: roomId, slug: roomId },
      ...{ description: null, topics: ['chat'], metadata: {}, origin: 'api' },
    },
  });
  const roomsOf = (projectId: string): DomainEvent[] =>
    Array.from({ length: roomsOfProject }, (_, n) => roomCreated(`${projectId} ${n}`, projectId));
  const deletion: DomainEvent = { type: 'ProjectDeleted', data: { projectId: 'large' } };

  const over = (changed: Partial<ViewStore>): ViewStore =>
    new Proxy(views, {
      get: (_, name): unknown =>
        Reflect.get(changed, name) ?? (Reflect.get(views, name) as () => unknown).bind(views),
    });
  /** On which a removal of many documents takes for ever, in a batch or in a sweep. */
  const withoutEnd = (): ViewStore =>
    over({
      apply: (batch) =>
        batch.changes.some((change) => 'removeWhere' in change) ? never : views.apply(batch),
      sweep: (_cascade, signal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    });

  it('show and feed what others change while it goes on', async () => {
    await start(withoutEnd());
    await append(...roomsOf('large'), roomCreated('other', 'small'));
    await append(deletion);
    await append({
      type: 'RoomUpdated',
      data: { roomId: 'other', appId: 'app of small', changes: { status: 'disabled' } },
    });
    expect(await views.get('rooms', 'other')).to.include({ status: 'disabled' });
    await eventually(() => fed.at(-1) === 'RoomUpdated');
    expect(await views.count('rooms', { projectId: 'large' })).to.equal(roomsOfProject);
  });

  it('go on with it after a crash, although nothing more happens', async () => {
    const first = await start(withoutEnd());
    await append(...roomsOf('large'), roomCreated('other', 'small'), deletion);
    await first.close();
    expect(await views.count('rooms', {})).to.equal(roomsOfProject + 1);
    await start(views);
    await eventually(async () => (await views.count('cascades', {})) === 0);
    expect(await views.count('rooms', { projectId: 'large' })).to.equal(0);
    expect(await views.count('rooms', {})).to.equal(1);
  });

  it('remove at once where nobody reads, so that what was deleted long ago is not written', async () => {
    const first = await start(views);
    await append(...roomsOf('large'), deletion);
    await first.close();
    await views.clear();
    await start(over({ sweep: () => never }));
    expect(await views.count('rooms', {})).to.equal(0);
    expect(await views.count('cascades', {})).to.equal(0);
  });

  it('show and feed a revocation before a batch of others is written', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let [isHeld, heldBatches] = [false, 0];
    await start(
      over({
        apply: async (batch) => {
          heldBatches += isHeld ? 1 : 0;
          if (isHeld) await held;
          await views.apply(batch);
        },
      }),
    );
    await append(roomCreated('other', 'small'));
    isHeld = true;
    const appending = append(...roomsOf('large'));
    await eventually(() => heldBatches === 1);
    const data = { roomId: 'other', appId: 'app of small', changes: { status: 'disabled' } } as const;
    const revocation = newEvent({ type: 'RoomUpdated', data }, (index += 1));
    const metadata = { ...revocation.metadata, projectId: 'small' };
    const { position } = await log.append('another stream', 'none', [{ ...revocation, metadata }]);
    await eventually(() => fed.at(-1) === 'RoomUpdated');
    expect(await views.get('rooms', 'other')).to.include({ status: 'disabled' });
    expect(await views.count('rooms', {})).to.equal(1);
    release();
    await appending;
    expect(await views.reached(position, 5_000)).to.equal(true);
    expect(await views.count('rooms', {})).to.equal(1 + roomsOfProject);
    await eventually(() => fed.filter((type) => type === 'RoomUpdated').length === 2);
  });
});
