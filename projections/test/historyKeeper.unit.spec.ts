import { expect } from 'chai';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import type { TopicConfigs } from '@roomwire/shared/domain/app';
import type { DomainEvent } from '@roomwire/shared/domain/events';
import type { EventLog, LogOrigin, LogPosition } from '@roomwire/shared/ports/eventLog';
import type { HistoryOwners, HistoryTopic } from '@roomwire/shared/ports/history';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { Service } from '@roomwire/shared/runtime/service';
import { positionOf, type Place } from '@roomwire/shared/wire/protocol/position';
import { liveMessage } from '@roomwire/testing/builders/liveMessage';
import { silentLogger as logger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { MemoryHistory } from '@roomwire/testing/fakes/memoryHistory';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { createHistoryKeeper } from '../src/historyKeeper.js';
import { newEvent } from './support/history.js';

type OwnedTopic = HistoryTopic & HistoryOwners;

const topicOf = (roomId: string, name: string, fields: Partial<OwnedTopic> = {}): OwnedTopic => ({
  ...{ roomId, name, accessScopeId: null, room: `p/app/_/${roomId}`, projectId: 'p', appId: 'app' },
  ...fields,
});

/** A history in memory with the checkpoint of an index. */
class MemoryIndex extends MemoryHistory {
  pruned = 0;
  arriving: Promise<void> = Promise.resolve();
  private position: LogPosition | undefined;
  private madeFrom: LogOrigin | undefined;

  override indexed(): Promise<void> {
    return this.arriving;
  }
  async prune(): Promise<number> {
    return (this.pruned += 1);
  }
  async checkpoint(): Promise<LogPosition | undefined> {
    return this.position;
  }
  async origin(): Promise<LogOrigin | undefined> {
    return this.madeFrom;
  }
  async moveCheckpoint(position: LogPosition | undefined, origin?: LogOrigin): Promise<void> {
    [this.position, this.madeFrom] = [position, origin];
  }
}

const chat = topicOf('room', 'chat');
const scoped = topicOf('room', 'chat', { accessScopeId: 'scope', room: 'p/app/hidden/room' });
const other = topicOf('hall', 'chat', { appId: 'other', projectId: 'q', room: 'q/other/_/hall' });

const roomDeleted: DomainEvent = { type: 'RoomDeleted', data: { appId: 'app', roomId: 'room' } };
const hallDeleted: DomainEvent = { type: 'RoomDeleted', data: { appId: 'other', roomId: 'hall' } };

describe('[WS-HIST-13] the keeper of message history', () => {
  let clock: ManualClock;
  let log: EventLog;
  let index: MemoryIndex;
  /** What the read models say of the app. */
  let configs: TopicConfigs;
  let keeper: Service | undefined;
  let close: () => Promise<void>;
  let revision: number | 'none';
  let made: number;

  beforeEach(async () => {
    clock = new ManualClock();
    [index, configs, revision, made] = [new MemoryIndex(), {}, 'none', 0];
    const temporary = await temporaryFolder();
    const folder = await openDataFolder(temporary.path);
    log = await openEmbeddedEventLog(folder);
    close = async () => {
      await keeper?.close();
      for (const each of [log, folder]) await each.close();
      await temporary.remove();
    };
  });
  afterEach(() => close());

  const publish = (topic: OwnedTopic): Place => {
    const id = `${clock.now().toString(36).padStart(9, '0')}${String((made += 1)).padStart(4, '0')}.gateway`;
    return index.publish(topic, liveMessage({ id }));
  };
  const start = async (pruneEveryMs = 60_000): Promise<void> => {
    const views = { get: async () => ({ topicConfigs: configs }) } as unknown as Pick<ViewReader, 'get'>;
    keeper = createHistoryKeeper({ log, index, history: index, views, clock, logger, pruneEveryMs });
    await keeper.start();
  };
  const append = async (...events: readonly DomainEvent[]): Promise<void> => {
    const occurredAt = new Date(clock.now()).toISOString();
    const [first, ...rest] = events.map((event, at) => {
      const made = newEvent(event, at);
      return { ...made, metadata: { ...made.metadata, occurredAt, projectId: 'p' } };
    });
    if (first !== undefined) ({ revision } = await log.append('s', revision, [first, ...rest]));
  };
  const isEmpty = (topic: OwnedTopic): boolean => index.idsOf(topic).length === 0;
  const deleted = (topic: OwnedTopic, to: Place): DomainEvent => {
    const { appId, roomId, accessScopeId, name, room } = topic;
    const upTo = positionOf(topic, to);
    return { type: 'HistoryDeleted', data: { appId, roomId, accessScopeId, topic: name, room, upTo } };
  };
  const settings = (topicConfigs: TopicConfigs): DomainEvent => ({
    type: 'AppUpdated',
    data: { appId: 'app', changes: { topicConfigs } },
  });

  const owners: readonly (readonly [string, DomainEvent])[] = [
    ['project', { type: 'ProjectDeleted', data: { projectId: 'p' } }],
    ['app', { type: 'AppDeleted', data: { appId: 'app' } }],
    ['room', roomDeleted],
    ['scope', { type: 'ScopeDeleted', data: { accessScopeId: 'scope' } }],
  ];
  for (const [what, event] of owners)
    it(`deletes history with its ${what}, and no other`, async () => {
      for (const topic of [scoped, other]) publish(topic);
      await start();
      await append(event);
      await eventually(() => isEmpty(scoped));
      expect(isEmpty(other)).to.equal(false);
    });

  it('deletes again what the command API was killed over, and nothing that is newer', async () => {
    const to = publish(chat);
    for (const topic of [scoped, other]) publish(topic);
    await append(deleted(chat, to));
    publish(chat);
    await start();
    await eventually(() => index.idsOf(chat).length === 1);
    await append(deleted(chat, to), hallDeleted);
    await eventually(() => isEmpty(other));
    expect([index.idsOf(chat).length, index.idsOf(scoped).length]).to.eql([1, 1]);
  });

  it('deletes topics whose history is switched off, in all rooms of the app', async () => {
    const news = topicOf('room', 'news');
    const stays = topicOf('room', 'stays');
    for (const topic of [chat, news, scoped, stays, other]) publish(topic);
    configs = { stays: { history: {} }, news: { history: null } };
    await start();
    await append(settings(configs));
    await eventually(() => [chat, news, scoped].every(isEmpty));
    expect([isEmpty(stays), isEmpty(other)]).to.eql([false, false]);
  });

  it('deletes what was published before history was switched off, and is not in the index yet', async () => {
    let arrive: () => void = () => undefined;
    index.arriving = new Promise((resolve) => (arrive = resolve));
    await start();
    await append(settings({}), hallDeleted);
    for (const topic of [chat, other]) publish(topic);
    arrive();
    await eventually(() => isEmpty(other));
    expect(isEmpty(chat)).to.equal(true);
  });

  it('leaves what was published after history was switched on again', async () => {
    publish(chat);
    await append(settings({}));
    clock.pass(1);
    configs = { chat: { history: {} } };
    await append(settings(configs), hallDeleted);
    for (const topic of [chat, other]) publish(topic);
    await start();
    await eventually(() => isEmpty(other));
    expect(index.idsOf(chat).length).to.equal(1);
  });

  it('deletes what arrives late, by those who had not heard of the deletion', async () => {
    publish(chat);
    await start(5);
    await append(roomDeleted);
    await eventually(() => isEmpty(chat));
    publish(chat);
    await eventually(() => isEmpty(chat));
  });

  it('deletes what arrives late also where it was restarted in between', async () => {
    publish(chat);
    await start();
    await append(roomDeleted);
    await eventually(() => isEmpty(chat));
    publish(chat);
    await keeper?.close();
    await start(5);
    await eventually(() => isEmpty(chat));
  });

  it('removes what has expired, and goes on when the index is back', async () => {
    publish(chat);
    index.isAway = true;
    await start(5);
    await append({ type: 'AppDeleted', data: { appId: 'app' } });
    await eventually(() => index.pruned > 0);
    expect(isEmpty(chat)).to.equal(false);
    index.isAway = false;
    await eventually(() => isEmpty(chat));
  });

  it('stops before an event of a newer version, which may delete something', async () => {
    publish(chat);
    const behind = newEvent({ type: 'AppDeleted', data: { appId: 'app' } }, 2);
    await log.append('s', revision, [{ ...behind, type: 'AppArchived' }, behind]);
    await start(5);
    await eventually(() => index.pruned > 2);
    expect(isEmpty(chat)).to.equal(false);
  });

  it('begins again where its checkpoint is of another log, as after a restore', async () => {
    publish(chat);
    await append(roomDeleted);
    await index.moveCheckpoint('9'.repeat(16));
    await start();
    await eventually(() => isEmpty(chat));
  });
});
