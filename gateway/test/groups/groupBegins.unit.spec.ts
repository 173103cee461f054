import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedGroupStore } from '@roomwire/shared/adapters/group-store/embeddedGroupStore';
import { openEmbeddedMessageStore } from '@roomwire/shared/adapters/message-store/embeddedMessageStore';
import type { GroupStore } from '@roomwire/shared/ports/groupStore';
import type { MessageStore } from '@roomwire/shared/ports/messageStore';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { GroupHosts } from '../../src/groups/groupHosts.js';
import { GroupSite } from '../../src/groups/groupSite.js';
import { Membership } from '../../src/groups/membership.js';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { overlaid } from '../support/overlaid.js';
import { silentLogger } from '@roomwire/testing/fakes/loggers';

const place = { room: 'p/app/_/room', topic: 'p/app/_/room/work', group: 'g' };

describe('a worker group that has just begun', () => {
  const clock = new ManualClock();
  let folder: TemporaryFolder;
  let store: GroupStore;
  /** Before it nobody learns what is in the store. */
  let answered: Promise<void>;
  let record: MessageStore;
  let site: GroupSite;

  beforeEach(async () => {
    folder = await temporaryFolder();
    const files = { file: (name: string) => join(folder.path, name) };
    answered = Promise.resolve();
    const real = await openEmbeddedGroupStore(files, clock.now());
    store = overlaid(real, {
      load: async (...group) => {
        await answered;
        return real.load(...group);
      },
    });
    record = await openEmbeddedMessageStore(files);
    const hosts: GroupHosts = new GroupHosts('gateway', {
      ready: Promise.resolve(),
      announce: async ({ connection, room }) => {
        hosts.entered(connection, room);
        return true;
      },
      withdraw: async () => undefined,
      entries: () => [],
    });
    site = new GroupSite(place, {
      ...{ hosts, store, record, clock, logger: silentLogger },
      ...{ gatewayId: 'gateway', retryMs: 1, bounds: { messages: 10, bytes: 1_000 } },
      bus: { send: async (_channel, news) => site.take(news as never) },
      attend: async () => undefined,
      forget: () => undefined,
      nextNumber: () => 1,
      mayBeOut: () => false,
      dropped: () => undefined,
      ended: () => undefined,
    });
  });

  afterEach(async () => {
    site.abandon();
    await Promise.all([store.close(), record.close()]);
    await folder.remove();
  });

  const member = async (isPersistent: boolean, number = 1): Promise<Membership> => {
    const replay = {
      limit: () => 10,
      begin: () => undefined,
      give: () => undefined,
      end: () => undefined,
      room: async () => undefined,
    };
    const wish = {
      ...{
        ...place,
        actorTokenId: 'agent',
        filters: undefined,
        acks: true,
        isPersistent,
        place: 'here',
        replay,
      },
      entered: () => undefined,
      deliver: () => undefined,
      isReachable: () => true,
    };
    const membership = new Membership(wish, site, () => number);
    await membership.join();
    membership.release();
    return membership;
  };
  const stored = () => store.load(place.topic, place.group);

  it('[WS-GROUP-9] is remembered should its gateway be killed before the first look', async () => {
    await member(true);
    await eventually(async () => (await stored()) !== undefined, { what: 'the group in the store' });
    expect(await stored()).to.include({ place: 'here', sinceMs: clock.now() });
  });

  it('[WS-GROUP-9] is remembered from its first member with a session on', async () => {
    await member(false);
    await eventually(() => site.replica.known?.isWaking === false);
    expect(await stored()).to.equal(undefined);
    await member(true, 2);
    await eventually(async () => (await stored()) !== undefined, { what: 'the group in the store' });
  });

  /** It comes and goes before it is known whether there is anything to wake. */
  const passThrough = async (): Promise<void> => {
    let answer = (): void => undefined;
    answered = new Promise((resolve) => (answer = resolve));
    (await member(true)).leave(false);
    await eventually(() => site.replica.known === undefined);
    answer();
  };

  it('[WS-GROUP-9] is remembered though its only member stayed for no more than a moment', async () => {
    await passThrough();
    await eventually(async () => (await stored()) !== undefined, { what: 'the group in the store' });
    expect(await stored()).to.include({ place: 'here', sinceMs: clock.now() });
  });

  it('[WS-GROUP-9] is as it was asleep when whoever came has gone before it was woken', async () => {
    const before = {
      ...{ topic: place.topic, group: place.group, place: 'here', sinceMs: 1, undone: ['1'], done: [] },
      expiresAt: clock.now() + 1_000,
    };
    await store.write(before);
    await passThrough();
    await site.closed;
    expect(await stored()).to.deep.equal(before);
  });
});
