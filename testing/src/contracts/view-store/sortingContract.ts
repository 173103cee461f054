import { expect } from 'chai';
import type { ViewFilter, ViewQuery } from '@roomwire/shared/ports/viewStore';
import { at, putRoom, roomIds, type RoomView, type StoreUnderTest } from './storeUnderTest.js';

export const sortingContract = (current: () => StoreUnderTest): void => {
  const given = (rooms: Readonly<Record<string, Partial<RoomView>>>): Promise<void> =>
    current().store.apply({
      changes: Object.entries(rooms).map(([id, fields]) => putRoom(id, fields)),
      position: at(1),
    });
  const ids = (query: ViewQuery): Promise<string[]> => roomIds(current().store, query);

  it('sorts strings by code point, in both directions', async () => {
    await given({
      r1: { name: '😀' },
      r2: { name: 'b' },
      r3: { name: 'B' },
      r4: { name: '\uff5e' },
      r5: { name: 'é' },
      r6: { name: '' },
      r7: { name: 'ba' },
    });
    const order = ['r6', 'r3', 'r2', 'r7', 'r5', 'r4', 'r1'];
    expect(await ids({ sort: [['name', 1]] })).to.deep.equal(order);
    expect(await ids({ sort: [['name', -1]] })).to.deep.equal(order.reverse());
  });

  it('sorts numbers by value', async () => {
    await given({
      r1: { metadata: { n: 10 } },
      r2: { metadata: { n: 9 } },
      r3: { metadata: { n: -1 } },
      r4: { metadata: { n: 9.5 } },
    });
    expect(await ids({ sort: [['metadata.n', 1]] })).to.deep.equal(['r3', 'r2', 'r4', 'r1']);
    expect(await ids({ sort: [['metadata.n', -1]] })).to.deep.equal(['r1', 'r4', 'r2', 'r3']);
  });

  it('sorts null and missing first, then numbers, strings and booleans', async () => {
    await given({
      r1: { metadata: { v: true } },
      r2: { metadata: { v: 'text' } },
      r3: { metadata: { v: null } },
      r4: { metadata: { v: 7 } },
      r5: { metadata: {} },
      r6: { metadata: { v: false } },
    });
    const upwards: ViewQuery = {
      sort: [
        ['metadata.v', 1],
        ['roomId', 1],
      ],
    };
    const downwards: ViewQuery = {
      sort: [
        ['metadata.v', -1],
        ['roomId', 1],
      ],
    };
    expect(await ids(upwards)).to.deep.equal(['r3', 'r5', 'r4', 'r2', 'r6', 'r1']);
    expect(await ids(downwards)).to.deep.equal(['r1', 'r6', 'r2', 'r4', 'r3', 'r5']);
  });

  it('sorts by the next field where the first is equal', async () => {
    await given({
      r1: { appId: 'b', name: 'x', slug: '1' },
      r2: { appId: 'a', name: 'y', slug: '2' },
      r3: { appId: 'b', name: 'y', slug: '3' },
      r4: { appId: 'a', name: 'y', slug: '4' },
    });
    expect(
      await ids({
        sort: [
          ['appId', 1],
          ['name', 1],
          ['slug', -1],
        ],
      }),
    ).to.deep.equal(['r4', 'r2', 'r1', 'r3']);
    expect(
      await ids({
        sort: [
          ['appId', -1],
          ['name', -1],
          ['slug', 1],
        ],
      }),
    ).to.deep.equal(['r3', 'r1', 'r2', 'r4']);
  });

  it('skips and limits after filtering and sorting', async () => {
    await given({ r1: {}, r2: {}, r3: { appId: 'other' }, r4: {}, r5: {} });
    const query: ViewQuery = { filter: { appId: 'app' }, sort: [['roomId', -1]] };
    expect(await ids({ ...query, limit: 2 })).to.deep.equal(['r5', 'r4']);
    expect(await ids({ ...query, skip: 1, limit: 2 })).to.deep.equal(['r4', 'r2']);
    expect(await ids({ ...query, skip: 3 })).to.deep.equal(['r1']);
    expect(await ids({ ...query, skip: 3, limit: 100 })).to.deep.equal(['r1']);
    expect(await ids({ ...query, skip: 4, limit: 1 })).to.deep.equal([]);
    expect(await ids({ ...query, limit: 0 })).to.deep.equal([]);
  });

  it('limits without a sort order, too', async () => {
    await given({ r1: {}, r2: {}, r3: {} });
    expect(await ids({ limit: 2 })).to.have.lengthOf(2);
    expect(await ids({ skip: 1 })).to.have.lengthOf(2);
  });

  it('lists in the order of creation, from any place on and in both directions', async () => {
    const count = 1_300;
    const name = (n: number): string => `r${String(n).padStart(4, '0')}`;
    const mixed = Array.from({ length: count }, (_, n) => (n * 7) % count);
    await given(
      Object.fromEntries(
        mixed.map((n) => [name(n), { createdPosition: at(n), appId: n % 10 === 3 ? 'other' : 'app' }]),
      ),
    );
    await current().store.apply({
      changes: [
        { remove: 'rooms', id: name(40) },
        putRoom(name(41), { createdPosition: at(9_999) }),
        { patch: 'rooms', id: name(42), set: { name: 'changed' } },
      ],
      position: at(2),
    });
    const expected = Array.from({ length: count }, (_, n) => n).filter(
      (n) => n % 10 !== 3 && n !== 40 && n !== 41,
    );
    const upwards = [...expected.map(name), name(41)];
    const list = (direction: 1 | -1, more: ViewFilter = {}, limit?: number): Promise<string[]> =>
      ids({
        filter: { appId: 'app', ...more },
        sort: [['createdPosition', direction]],
        ...(limit !== undefined && { limit }),
      });
    expect(await list(1)).to.deep.equal(upwards);
    expect(await list(-1)).to.deep.equal(upwards.toReversed());
    expect(await current().store.count('rooms', { appId: 'app' })).to.equal(upwards.length);
    const after = (n: number): string[] => upwards.filter((id) => id > name(n) && id !== name(41));
    expect(await list(1, { createdPosition: { $gt: at(500), $lt: at(9_000) } })).to.deep.equal(after(500));
    expect(await list(-1, { createdPosition: { $lt: at(9_000) }, slug: { $regex: '99$' } })).to.deep.equal(
      after(0)
        .filter((id) => id.endsWith('99'))
        .toReversed(),
    );
    const pages: string[] = [];
    for (let place = at(99_999); ;) {
      const found = await list(-1, { createdPosition: { $lt: place } }, 111);
      pages.push(...found);
      const last = await current().store.get('rooms', found.at(-1) ?? '');
      if (last === undefined) break;
      place = last.createdPosition;
    }
    expect(pages).to.deep.equal(upwards.toReversed());
  });

  it('pages through many documents without a gap or a duplicate', async () => {
    const names = Array.from({ length: 300 }, (_, n) => `r${String((n * 7) % 300).padStart(3, '0')}`);
    await given(Object.fromEntries(names.map((name) => [name, {}])));
    const pages: string[][] = [];
    for (let skip = 0; skip < 300; skip += 20)
      pages.push(
        await ids({
          filter: { appId: 'app' },
          sort: [
            ['status', 1],
            ['slug', -1],
          ],
          skip,
          limit: 20,
        }),
      );
    expect(pages.flat()).to.deep.equal([...names].sort().reverse());
  });
};
