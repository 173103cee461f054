import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { liveMessage } from '@roomwire/testing/builders/liveMessage';
import { unlimitedMemory } from '../support/groupNode.js';
import { join } from 'node:path';
import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import { openEmbeddedGroupStore } from '@roomwire/shared/adapters/group-store/embeddedGroupStore';
import { openEmbeddedMessageStore } from '@roomwire/shared/adapters/message-store/embeddedMessageStore';
import type { GroupStore } from '@roomwire/shared/ports/groupStore';
import type { MessageStore } from '@roomwire/shared/ports/messageStore';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { LocalGroup } from '../../src/groups/localGroup.js';
import { Membership } from '../../src/groups/membership.js';
import { Participants } from '../../src/groups/participants.js';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { overlaid } from '../support/overlaid.js';
import { silentLogger } from '@roomwire/testing/fakes/loggers';

const key = { room: 'p/app/_/room', topic: 'p/app/_/room/work', group: 'g' };

describe('the checkpoint of a worker group that has just begun', () => {
  const clock = new ManualClock();
  let folder: TemporaryFolder;
  let store: GroupStore;
  /** The store answers after it. */
  let answered: Promise<void>;
  /** Whether the store takes what this gateway writes. */
  let isWritable: boolean;
  let isAway: boolean;
  let isRefused: boolean;
  let messageStore: MessageStore;
  /** What was replayed. */
  let given: string[];
  let group: LocalGroup;
  let begin: () => LocalGroup;

  beforeEach(async () => {
    folder = await temporaryFolder();
    const files = { file: (name: string) => join(folder.path, name) };
    answered = Promise.resolve();
    isWritable = true;
    isAway = false;
    isRefused = false;
    const real = await openEmbeddedGroupStore(files, { clock });
    store = overlaid(real, {
      load: async (...id) => {
        await answered;
        return real.load(...id);
      },
      write: async (checkpoint) => {
        isRefused = !isWritable;
        if (isRefused) throw new EngineUnavailable('worker groups');
        await real.write(checkpoint);
      },
      remove: async (...id) => {
        isRefused = isAway;
        if (isRefused) throw new EngineUnavailable('worker groups');
        await real.remove(...id);
      },
    });
    messageStore = await openEmbeddedMessageStore(files, { clock });
    given = [];
    const participants: Participants = new Participants('gateway', {
      ready: Promise.resolve(),
      announce: async ({ connection, room }) => {
        participants.onOwnPresence(connection, room);
        return true;
      },
      withdraw: async () => undefined,
      entries: () => [],
    });
    begin = () =>
      new LocalGroup(key, {
        ...{ participants, groupStore: store, messageStore, clock, logger: silentLogger },
        ...{ gatewayId: 'gateway', retryMs: 1, bounds: { messages: 10, bytes: 1_000 } },
        bus: { send: async (_channel, record) => (group.command(record as never), 0) },
        knowsOwn: () => true,
        subscribe: async () => undefined,
        unsubscribe: () => undefined,
        lastNumber: 0,
        noticePause: () => undefined,
        dropped: () => undefined,
        memory: unlimitedMemory(),
        ...{ ended: () => undefined, predecessor: undefined },
      });
    group = begin();
  });

  afterEach(async () => {
    group.abandon();
    await Promise.all([store.close(), messageStore.close()]);
    await folder.remove();
  });

  const member = async (isPersistent: boolean): Promise<Membership> => {
    const replay = {
      limit: () => 10,
      begin: () => undefined,
      give: ({ id }: LiveMessage) => void given.push(id),
      end: () => undefined,
      waitForCapacity: async () => undefined,
    };
    const options = {
      ...{
        ...key,
        actorTokenId: 'agent',
        filters: undefined,
        own: false,
        connection: 'gateway.1',
        acks: true,
        isPersistent,
        place: 'here',
        replay,
      },
      entered: () => undefined,
      deliver: () => undefined,
      isReachable: () => true,
    };
    const membership = new Membership(options, group);
    await membership.join();
    membership.release();
    return membership;
  };
  const stored = () => store.load(key.topic, key.group);

  it('[WS-GROUP-9] is written before the first tick, in case its gateway is killed', async () => {
    await member(true);
    await eventually(async () => (await stored()) !== undefined, { what: 'the group in the store' });
    expect(await stored()).to.include({ place: 'here', sinceMs: clock.now() });
  });

  it('[WS-GROUP-9] is written from its first member with a persistent session on', async () => {
    await member(false);
    await eventually(() => group.machine.state?.isBacklogPending === false);
    expect(await stored()).to.equal(undefined);
    await member(true);
    await eventually(async () => (await stored()) !== undefined, { what: 'the group in the store' });
  });

  /** A member joins and leaves before it is known whether there is a backlog. */
  const passThrough = async (): Promise<void> => {
    let answer = (): void => undefined;
    answered = new Promise((resolve) => (answer = resolve));
    (await member(true)).leave(false);
    await eventually(() => group.machine.state === undefined);
    answer();
  };

  it('[WS-GROUP-9] is written although its only member stayed for a moment', async () => {
    await passThrough();
    await eventually(async () => (await stored()) !== undefined, { what: 'the group in the store' });
    expect(await stored()).to.include({ place: 'here', sinceMs: clock.now() });
  });

  it('[WS-GROUP-9] [WS-ONCE-4] is the start of what is replayed, with what a gateway has sent since for one that was killed', async () => {
    const { topic, group: name } = key;
    const idAt = (ms: number) => `${(clock.now() + ms).toString(36).padStart(9, '0')}0000.gateway~order-7`;
    const [takenOver, seenBefore, missed] = [idAt(-25_000), idAt(-1), idAt(1)];
    await store.write({
      ...{ topic, group: name, place: 'here', sinceMs: clock.now(), undone: [], done: [] },
      expiresAt: clock.now() + 100_000,
    });
    for (const id of [takenOver, seenBefore, missed])
      await messageStore.append(liveMessage({ id, topic }), '1d');
    await member(true);
    await eventually(() => given.length > 1);
    expect(given).to.deep.equal([takenOver, missed]);
  });

  it('[WS-GROUP-9] is unchanged when the member leaves before the backlog has been replayed', async () => {
    const before = {
      ...{ topic: key.topic, group: key.group, place: 'here', sinceMs: 1, undone: ['1'], done: [] },
      expiresAt: clock.now() + 1_000,
    };
    await store.write(before);
    await passThrough();
    await group.closed;
    expect(await stored()).to.deep.equal(before);
  });

  /** A message that is recorded, delivered and acknowledged. */
  const work = async (n = 0): Promise<void> => group.acknowledge([await leaveOpen(n)]);
  const leaveOpen = async (n = 0): Promise<string> => {
    const id = `${clock.now().toString(36).padStart(9, '0')}${String(n).padStart(4, '0')}.gateway`;
    const message = liveMessage({ id, topic: key.topic });
    await messageStore.append(message, '1d');
    group.message(message);
    return id;
  };
  /** A checkpoint, an hour later. */
  const written = async (): Promise<void> => {
    clock.pass(3_600_000);
    group.tick();
    const expiresAt = clock.now() + 24 * 3_600_000;
    await eventually(async () => (await stored())?.expiresAt === expiresAt, { what: 'the checkpoint' });
  };
  const woken = async (): Promise<readonly string[]> => {
    await eventually(() => group.machine.state === undefined);
    await group.closed;
    group = begin();
    await member(false);
    await eventually(() => group.machine.state?.isBacklogPending === false);
    return given;
  };

  it('[WS-GROUP-10] has all that was acknowledged, however long before the group slept', async () => {
    const agent = await member(true);
    await eventually(() => group.machine.state?.isBacklogPending === false);
    await work();
    clock.pass(10_001);
    await work();
    agent.leave(false);
    expect(await woken()).to.deep.equal([]);
  });

  it('[WS-GROUP-9] is gone when its only member with a persistent session has unsubscribed', async () => {
    const [agent] = [await member(true), await member(false)];
    await eventually(async () => (await stored()) !== undefined, { what: 'the group in the store' });
    agent.leave();
    await eventually(async () => (await stored()) === undefined, { what: 'no group in the store' });
  });

  it('[WS-GROUP-9] is gone when its last member has unsubscribed while the store was away', async () => {
    const agent = await member(true);
    await eventually(async () => (await stored()) !== undefined, { what: 'the group in the store' });
    isAway = true;
    agent.leave();
    await eventually(() => isRefused, { what: 'the removal that fails' });
    isAway = false;
    await eventually(async () => (await stored()) === undefined, { what: 'no group in the store' });
    await group.closed;
  });

  it('[WS-GROUP-9] is that of its end when its last member has gone while the store was away', async () => {
    const agent = await member(true);
    await eventually(async () => (await stored()) !== undefined, { what: 'the group in the store' });
    isWritable = false;
    const open = await leaveOpen();
    agent.leave(false);
    await eventually(() => isRefused, { what: 'the write that fails' });
    isWritable = true;
    await eventually(async () => (await stored())?.undone.includes(open) === true, {
      what: 'the open message',
    });
    await group.closed;
  });

  for (const others of [0, 1])
    it(`[WS-GROUP-9] is gone with its last member with a persistent session, whoever has written it, with members ${others + 1}`, async () => {
      const agent = await member(true);
      for (let n = 0; n < others; n++) await member(false);
      await eventually(async () => (await stored()) !== undefined, { what: 'the group in the store' });
      isWritable = false;
      clock.pass(3_600_000);
      group.tick();
      await eventually(() => isRefused, { what: 'the write that fails' });
      agent.leave();
      await eventually(async () => (await stored()) === undefined, { what: 'no group in the store' });
    });

  it('[WS-GROUP-10] has all that was acknowledged before its gateways are killed, but for ten seconds', async () => {
    await member(true);
    await eventually(() => group.machine.state?.isBacklogPending === false);
    const open = await leaveOpen();
    for (let n = 0; n < 10; n++) {
      clock.pass(20_000);
      await work();
    }
    await written();
    group.abandon();
    group = begin();
    await member(false);
    await eventually(() => group.machine.state?.isBacklogPending === false);
    expect(given).to.deep.equal([open]);
  });

  it('[WS-GROUP-10] names no messages where these are many, since it is written again and again', async () => {
    await member(true);
    await eventually(() => group.machine.state?.isBacklogPending === false);
    for (const [count, named] of [
      [100, 100],
      [101, 0],
    ] as const) {
      for (let n = 0; n < count; n++) await work(n);
      await written();
      expect((await stored())?.done).to.have.length(named);
    }
  });
});
