import { expect } from 'chai';
import { openEmbeddedAuditIndex } from '@roomwire/shared/adapters/audit-index/embeddedAuditIndex';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { UnknownEvent } from '@roomwire/shared/domain/events';
import type { AuditIndex } from '@roomwire/shared/ports/auditIndex';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { Service } from '@roomwire/shared/runtime/service';
import { auditKeys } from '@roomwire/shared/wire/audit/auditKeys';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { createAuditFollower } from '../src/auditFollower.js';
import { newEvent } from './support/history.js';

const deleted = newEvent({ type: 'ActorDeleted', data: { actorTokenId: 'ada' } }, 1);

/** To the version before this one, the event is of an unknown type. */
const changesInOlderVersion = (event: RecordedEvent): never => {
  throw new UnknownEvent(event);
};

describe('the audit of an event that an older version does not know', () => {
  let log: EventLog;
  let index: AuditIndex;
  let followers: Service[];
  let close: () => Promise<void>;

  beforeEach(async () => {
    followers = [];
    const temporary = await temporaryFolder();
    const folder = await openDataFolder(temporary.path);
    log = await openEmbeddedEventLog(folder);
    index = await openEmbeddedAuditIndex(folder);
    close = async () => {
      for (const each of [...followers, index, log, folder]) await each.close();
      await temporary.remove();
    };
  });
  afterEach(() => close());

  const start = async (fields: Partial<Parameters<typeof createAuditFollower>[0]>): Promise<Service> => {
    const follower = createAuditFollower({ log, index, logger: silentLogger, ...fields });
    followers.push(follower);
    await follower.start();
    return follower;
  };
  const entries = (key?: string) =>
    index.find({ organizationId: 'o', key, order: 'oldest first', limit: 10 });
  const found = async (key?: string): Promise<string[]> => (await entries(key)).map(({ event }) => event.id);

  it('is found by what it changes, although the older version writes it last', async () => {
    let isWrittenLast = false;
    const late: AuditIndex = Object.assign(Object.create(index) as AuditIndex, {
      async record(...[entries, position, origin]: Parameters<AuditIndex['record']>) {
        await eventually(async () => (await index.checkpoint()) === position);
        await index.record(entries, position, origin);
        isWrittenLast = true;
      },
    });
    await start({ index: late, changesOf: changesInOlderVersion });
    await start({});
    await log.append('s', 'none', [deleted]);
    await eventually(() => isWrittenLast);
    expect(await found(auditKeys.record('ada'))).to.eql([deleted.id]);
    expect(await found(auditKeys.removal('ada'))).to.eql([deleted.id]);
    expect((await entries())[0]?.changed).to.eql([{ view: 'actors', id: 'ada' }]);
  });

  it('is found by what it changes once a newer version follows, which begins behind it', async () => {
    const older = await start({ changesOf: changesInOlderVersion });
    const { position } = await log.append('s', 'none', [deleted]);
    await eventually(async () => (await index.checkpoint()) === position);
    expect([await found(), await found(auditKeys.record('ada'))]).to.eql([[deleted.id], []]);
    await older.close();
    await start({});
    await eventually(async () => (await found(auditKeys.record('ada'))).length > 0);
    expect(await found(auditKeys.removal('ada'))).to.eql([deleted.id]);
    expect(await index.findUnread(undefined, 10)).to.eql([]);
    expect(await index.checkpoint()).to.equal(position);
  });

  it('stays unread where no version yet can read it', async () => {
    const older = await start({ changesOf: changesInOlderVersion });
    const { position } = await log.append('s', 'none', [deleted]);
    await eventually(async () => (await index.checkpoint()) === position);
    await older.close();
    const other = newEvent({ type: 'ActorDeleted', data: { actorTokenId: 'bob' } }, 2);
    await start({ changesOf: changesInOlderVersion });
    await log.append('s', 0, [other]);
    await eventually(async () => (await found()).length === 2);
    const unread = await index.findUnread(undefined, 10);
    expect(unread.map(({ event }) => event.id)).to.eql([deleted.id, other.id]);
  });
});
