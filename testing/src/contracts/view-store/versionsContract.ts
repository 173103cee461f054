import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import { viewsVersion } from '@roomwire/shared/wire/views/views';
import { at, matchingIds, putRoom, rejectionOf, type StoreUnderTest } from './storeUnderTest.js';

export const versionsContract = (current: () => StoreUnderTest): void => {
  const write = (position: number, roomId: string) => ({
    ...{ changes: [putRoom(roomId)], position: at(position) },
    origin: { log: 'the log', position: at(position), event: `event ${position}` },
  });

  it('have none of its documents, and admit nobody until they are made', async () => {
    const { store, reopen } = current();
    await store.apply(write(5, 'old'));
    const other = await reopen(viewsVersion + 1);
    expect([await other.checkpoint(), await other.origin()]).to.eql([undefined, undefined]);
    expect(await other.admitsReaders()).to.equal(false);
    expect(await rejectionOf(other.get('rooms', 'old'))).to.be.instanceOf(EngineUnavailable);
    await other.apply(write(5, 'new'));
    await other.admitReaders(at(5));
    expect(await matchingIds(other, {})).to.eql(['new']);
  });

  it('may be tended, whatever the log holds, while its own documents are read and written', async () => {
    const { store, versions } = current();
    await store.apply(write(5, 'r1'));
    for (let look = 0; look < 40; look += 1)
      expect(await versions.tend({ log: 'the log', head: at(9) })).to.eql([]);
    expect([store.isLeftBehind, await store.admitsReaders()]).to.eql([false, true]);
    await store.apply({ ...write(6, 'r2'), after: at(5) });
    expect(await matchingIds(store, {})).to.eql(['r1', 'r2']);
  });
};
