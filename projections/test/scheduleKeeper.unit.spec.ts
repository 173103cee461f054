import { expect } from 'chai';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import { openEmbeddedScheduleStore } from '@roomwire/shared/adapters/schedule-store/embeddedScheduleStore';
import type { DomainEvent } from '@roomwire/shared/domain/events';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { NewSchedule, ScheduleStore } from '@roomwire/shared/ports/scheduleStore';
import type { Service } from '@roomwire/shared/runtime/service';
import { silentLogger as logger } from '@roomwire/testing/fakes/loggers';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { createScheduleKeeper } from '../src/scheduleKeeper.js';
import { newEvent } from './support/history.js';

const scheduleOf = (scheduledId: string, prefix: string): NewSchedule => ({
  publish: {
    ...{ scheduledId, shard: 1, deliverAt: 1, place: scheduledId, createdAt: 1, organizationId: 'o' },
    ...{ projectId: `${prefix}project`, appId: `${prefix}app`, roomId: `${prefix}room` },
    scope: { accessScopeId: `${prefix}scope`, slug: 's', name: 'S' },
    ...{ actorTokenId: `${prefix}actor`, topic: 'a/b/c', filters: [], retain: false, qos: 1, bytes: 1 },
  },
  data: Uint8Array.of(1),
});

const deletions: readonly (readonly [what: string, event: DomainEvent])[] = [
  ['its project', { type: 'ProjectDeleted', data: { projectId: 'project' } }],
  ['its app', { type: 'AppDeleted', data: { appId: 'app' } }],
  ['its scope', { type: 'ScopeDeleted', data: { accessScopeId: 'scope' } }],
];

describe('[WS-LATER-7] the keeper of scheduled publishes', () => {
  let log: EventLog;
  let schedules: ScheduleStore;
  let keeper: Service;
  let close: () => Promise<void>;

  beforeEach(async () => {
    const temporary = await temporaryFolder();
    const folder = await openDataFolder(temporary.path);
    log = await openEmbeddedEventLog(folder);
    schedules = await openEmbeddedScheduleStore(folder);
    await schedules.add([scheduleOf('one', ''), scheduleOf('other', 'another ')]);
    keeper = createScheduleKeeper({ log, schedules, logger });
    close = async () => {
      await keeper.close();
      for (const each of [schedules, log, folder]) await each.close();
      await temporary.remove();
    };
  });
  afterEach(() => close());

  const waiting = async (): Promise<readonly string[]> =>
    (await schedules.due([1], 2, 10)).map(({ scheduledId }) => scheduledId);

  for (const [what, event] of deletions)
    it(`removes one with ${what}, and no other`, async () => {
      await keeper.start();
      expect(await waiting()).to.deep.equal(['one', 'other']);
      await log.append('stream', 'none', [newEvent(event, 1)]);
      await eventually(async () => (await schedules.checkpoint()) !== undefined);
      expect(await waiting()).to.deep.equal(['other']);
    });

  it('leaves those of a room and of an actor, which are judged when they are due', async () => {
    await keeper.start();
    await log.append('stream', 'none', [
      newEvent({ type: 'RoomDeleted', data: { appId: 'app', roomId: 'room' } }, 1),
      newEvent({ type: 'ActorDeleted', data: { actorTokenId: 'actor' } }, 2),
      newEvent({ type: 'AppDeleted', data: { appId: 'another app' } }, 3),
    ]);
    await eventually(async () => (await waiting()).length < 2);
    expect(await waiting()).to.deep.equal(['one']);
  });
});
