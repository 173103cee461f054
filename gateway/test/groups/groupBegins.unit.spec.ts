import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedGroupStore } from '@roomwire/shared/adapters/group-store/embeddedGroupStore';
import { openEmbeddedMessageRecord } from '@roomwire/shared/adapters/message-record/embeddedMessageRecord';
import type { GroupStore } from '@roomwire/shared/ports/groupStore';
import type { MessageRecord } from '@roomwire/shared/ports/messageRecord';
import { eventually } from '@roomwire/shared/testing/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/shared/testing/temporaryFolder';
import { GroupHosts } from '../../src/groups/groupHosts.js';
import { GroupSite } from '../../src/groups/groupSite.js';
import { Membership } from '../../src/groups/membership.js';
import { ManualClock } from '../support/manualClock.js';
import { silentLogger } from '../support/world.js';

const place = { room: 'p/app/_/room', topic: 'p/app/_/room/work', group: 'g' };

describe('a worker group that has just begun', () => {
  const clock = new ManualClock();
  let folder: TemporaryFolder;
  let store: GroupStore;
  let record: MessageRecord;
  let site: GroupSite;

  beforeEach(async () => {
    folder = await temporaryFolder();
    const files = { file: (name: string) => join(folder.path, name) };
    store = await openEmbeddedGroupStore(files, clock.now());
    record = await openEmbeddedMessageRecord(files);
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
});
