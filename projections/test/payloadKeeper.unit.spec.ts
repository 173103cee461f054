import { expect } from 'chai';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import { openEmbeddedPayloadStore } from '@roomwire/shared/adapters/payload-store/embeddedPayloadStore';
import type { DomainEvent } from '@roomwire/shared/domain/events';
import type { EventLog, LogOrigin } from '@roomwire/shared/ports/eventLog';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { PayloadStore } from '@roomwire/shared/ports/payloadStore';
import { LimitReports } from '@roomwire/shared/runtime/limitReports';
import type { Service } from '@roomwire/shared/runtime/service';
import { silentLogger as logger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { collectedMetrics } from '@roomwire/testing/run/collectedMetrics';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { createPayloadKeeper } from '../src/payloadKeeper.js';
import { newEvent } from './support/history.js';

const deletions: readonly (readonly [what: string, event: DomainEvent])[] = [
  ['its project', { type: 'ProjectDeleted', data: { projectId: 'p' } }],
  ['its app', { type: 'AppDeleted', data: { appId: 'app' } }],
  ['its room', { type: 'RoomDeleted', data: { appId: 'app', roomId: 'room' } }],
  ['its scope', { type: 'ScopeDeleted', data: { accessScopeId: 'scope' } }],
  ['its entry', { type: 'DeadLetterDeleted', data: { dlqId: 'one' } }],
  [
    'its entry, which was delivered',
    { type: 'DeadLetterDelivered', data: { redriveId: null, responseStatus: null, dlqId: 'one' } },
  ],
];

describe('[HOOK-DLQ-3] the keeper of payloads', () => {
  const retentionMs = 1_000_000;
  let clock: ManualClock;
  let limits: LimitReports;
  let log: EventLog;
  let payloads: PayloadStore;
  let keeper: Service | undefined;
  let close: () => Promise<void>;

  beforeEach(async () => {
    clock = new ManualClock();
    limits = new LimitReports({ clock, logger });
    const temporary = await temporaryFolder();
    const folder = await openDataFolder(temporary.path);
    log = await openEmbeddedEventLog(folder);
    payloads = await openEmbeddedPayloadStore(folder, { retentionMs, quotaBytes: 100_000 }, clock);
    close = async () => {
      await keeper?.close();
      for (const each of [payloads, log, folder]) await each.close();
      await temporary.remove();
    };
    const owners = ['app', 'room', 'scope'];
    await payloads.put({ id: 'one', projectId: 'p', owners, content: Buffer.from('one') });
    await payloads.put({ id: 'other', projectId: 'q', owners: ['other app'], content: Buffer.from('other') });
  });
  afterEach(() => close());

  const start = async (store: PayloadStore = payloads): Promise<void> => {
    keeper = createPayloadKeeper({ log, payloads: store, logger, limits, pruneEveryMs: 5 });
    await keeper.start();
  };
  let revision: number | 'none' = 'none';
  beforeEach(() => void (revision = 'none'));
  const append = async (...events: readonly DomainEvent[]): Promise<void> => {
    const [first, ...rest] = events.map(newEvent);
    if (first !== undefined) ({ revision } = await log.append('s', revision, [first, ...rest]));
  };
  const isKept = async (id: string): Promise<boolean> => (await payloads.get(id)) !== undefined;

  for (const [what, event] of deletions)
    it(`removes a payload with ${what}, and no other`, async () => {
      await start();
      await append(event);
      await eventually(async () => !(await isKept('one')));
      expect(await isKept('other')).to.equal(true);
    });

  it('stops before an event of a newer version, which may delete something', async () => {
    const before = newEvent({ type: 'AppDeleted', data: { appId: 'other app' } }, 1);
    const behind = newEvent({ type: 'AppDeleted', data: { appId: 'app' } }, 2);
    const { position } = await log.append('s', revision, [
      before,
      { ...behind, type: 'AppArchived' },
      behind,
    ]);
    await start();
    await eventually(async () => !(await isKept('other')) && (await payloads.checkpoint()) !== undefined);
    expect(await isKept('one')).to.equal(true);
    expect(((await payloads.checkpoint()) ?? '') < position).to.equal(true);
  });

  it('removes what was deleted while it did not run', async () => {
    await append({ type: 'RoomDeleted', data: { appId: 'app', roomId: 'room' } });
    await start();
    await eventually(async () => !(await isKept('one')));
  });

  it('removes again what it was killed over, and continues after an outage', async () => {
    let failures = 3;
    const failing = Object.assign(Object.create(payloads) as PayloadStore, {
      limits: payloads.limits,
      checkpoint: () => payloads.checkpoint(),
      origin: () => payloads.origin(),
      moveCheckpoint: (position: string, origin: LogOrigin) => payloads.moveCheckpoint(position, origin),
      prune: () => payloads.prune(),
      removeOf: (owners: readonly string[]) =>
        failures-- > 0 ? Promise.reject(new EngineUnavailable('payloads')) : payloads.removeOf(owners),
    });
    await start(failing);
    await append({ type: 'RoomDeleted', data: { appId: 'app', roomId: 'room' } });
    await eventually(async () => !(await isKept('one')));
    expect(failures).to.be.below(1);
    await eventually(async () => (await payloads.checkpoint()) === (await log.head()));
  });

  it('begins again where its checkpoint is of another log, as after a restore', async () => {
    await append({ type: 'RoomDeleted', data: { appId: 'app', roomId: 'room' } });
    await payloads.moveCheckpoint('9'.repeat(16));
    await start();
    await eventually(async () => !(await isKept('one')));
  });

  it('counts what has expired', async () => {
    await start();
    clock.pass(retentionMs);
    const counted = async () =>
      (await collectedMetrics(limits.collect)).get('roomwire_limit_reached_total payloadRetention');
    await eventually(async () => (await counted()) === 2);
  });
});
