import { join } from 'node:path';
import { expect } from 'chai';
import {
  openEmbeddedMessageStore,
  type EmbeddedMessageStoreOptions,
} from '../../../src/adapters/message-store/embeddedMessageStore.js';
import { openMessageTables } from '../../../src/adapters/message-store/messageTables.js';
import { retentionMs } from '../../../src/wire/bus/recordedMessages.js';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { eventually } from '@roomwire/testing/run/eventually';
import { messageStoreContract } from '@roomwire/testing/contracts/messageStoreContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { recorded } from './recorded.js';

const openOnFiles = async (options: EmbeddedMessageStoreOptions) => {
  const folder = await temporaryFolder();
  const file = (name: string) => join(folder.path, name);
  const opened = await reopenable(
    () => openEmbeddedMessageStore({ file }, options),
    () => folder.remove(),
  );
  return { ...opened, path: file('recorded.lmdb') };
};

messageStoreContract('files', (clock) => openOnFiles({ clock }));

describe('messages on files', () => {
  it('are removed in steps when they have expired, while appends continue', async () => {
    const clock = new ManualClock(Date.now());
    let removed = 0;
    const silent = () => undefined;
    const count = (_text: string, fields?: Record<string, unknown>) =>
      void (removed += Number(fields?.['messages']));
    const logger = { debug: count, info: silent, warn: silent, error: silent };
    const { store, path, dispose } = await openOnFiles({ clock, logger, expiryEveryMs: 5 });
    await Promise.all(Array.from({ length: 1_000 }, (_, n) => store.append(recorded(`old ${n}`), '1d')));
    await store.append(recorded('kept'), '7d');
    clock.pass(retentionMs('1d'));
    await store.append(recorded('new'), '1d');
    await eventually(() => removed === 1_000);
    await store.close();

    const tables = await openMessageTables(path);
    expect([tables.messages.getCount(), tables.expiries.getCount()]).to.deep.equal([2, 2]);
    await tables.environment.close();
    await dispose();
  });

  it('are refused above the limit of what may wait for the disk', async () => {
    const { store, dispose } = await openOnFiles({});
    const body = new Uint8Array(900_000);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, (_, n) => store.append({ ...recorded(String(n)), body }, '1d')),
    );
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused.length).to.be.within(1, 40);
    await store.append(recorded('later'), '1d');
    await dispose();
  });

  it('in an unknown layout prevent the start', async () => {
    const { store, path, dispose, reopen } = await openOnFiles({});
    await store.close();
    const tables = await openMessageTables(path);
    await tables.environment.transact(() => tables.meta.putSync('dataFormat', 2));
    await tables.environment.close();
    const error = await reopen().catch(String);
    expect(error).to.match(/data format 2; this program knows format 1/);
    await dispose();
  });
});
