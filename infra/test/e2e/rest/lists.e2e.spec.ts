import { expect } from 'chai';
import type { ApiClient } from '../../support/apiClient.js';
import { expectValidationError } from '../../support/shapes.js';
import { startTestService, type TestService } from '../../support/testService.js';

type Row = Readonly<Record<string, string>>;

interface List {
  readonly path: () => string;
  readonly id: string;
  /** Whether the whole list is newest first, too. */
  readonly isNewestFirst: boolean;
  create(number: number): Promise<Row>;
}

describe('REST lists that may be paged', () => {
  let service: TestService;
  let client: ApiClient;
  let rooms: string;
  let grants: string;
  const created = async (path: string, body: object): Promise<Row> => {
    const { status, body: record } = await client.post(path, body);
    expect(status).to.equal(201);
    return record;
  };

  const lists: Readonly<Record<'actors' | 'rooms' | 'grants', List>> = {
    actors: {
      path: () => '/actors',
      id: 'actorTokenId',
      isNewestFirst: true,
      create: (number) => created('/actors', { name: `Till ${number}`, actorType: 'device' }),
    },
    rooms: {
      path: () => rooms,
      id: 'roomId',
      isNewestFirst: false,
      create: (number) => created(rooms, { name: `Till ${number}` }),
    },
    grants: {
      path: () => grants,
      id: 'roomActorAccessId',
      isNewestFirst: false,
      async create(number) {
        const { actorTokenId } = await lists.actors.create(number);
        return created(grants, { permission: 'pubSub', actorTokenId });
      },
    },
  };

  before(async () => void (service = await startTestService()));
  after(() => service.close());
  beforeEach(async () => {
    ({ client } = await service.newProject());
    const { appId } = await created('/apps', { name: 'App', topics: ['chat'] });
    rooms = `/apps/${appId}/rooms`;
    const { roomId } = await created(rooms, { name: 'Other' });
    grants = `${rooms}/${roomId}/actors`;
  });

  for (const [name, list] of Object.entries(lists)) {
    const { id } = list;
    const idsOf = (rows: readonly Row[]): readonly (string | undefined)[] => rows.map((row) => row[id]);
    const get = async (query: string): Promise<any> => {
      const { status, body } = await client.get(`${list.path()}${query}`);
      expect(status, JSON.stringify(body)).to.equal(200);
      return body;
    };

    it(`pages ${name}, newest first`, async () => {
      const made: Row[] = [];
      for (let number = 0; number < 5; number += 1) made.push(await list.create(number));
      const all: Row[] = await get('');
      const newestFirst = list.isNewestFirst ? all : all.toReversed();
      expect(idsOf(newestFirst).slice(0, 5)).to.eql(idsOf(made.toReversed()));

      const first = await get('?limit=2');
      expect(first).to.have.all.keys('data', 'next');
      expect(first.data).to.eql(newestFirst.slice(0, 2));
      const second = await get(`?limit=2&cursor=${first.next}`);
      expect(second.data).to.eql(newestFirst.slice(2, 4));
      const last = await get(`?cursor=${second.next}`);
      expect(last).to.eql({ data: newestFirst.slice(4), next: null });
      expect(await get(`?limit=${newestFirst.length}`)).to.eql({ data: newestFirst, next: null });
    });

    it(`has each of the ${name} once, whatever is created and removed between two pages`, async () => {
      for (let number = 0; number < 6; number += 1) await list.create(number);
      const all = idsOf(await get(''));
      const newestFirst = list.isNewestFirst ? all : all.toReversed();
      const { data, next } = await get('?limit=3');
      await list.create(7);
      // The last record of the page, and the first behind it.
      for (const removed of newestFirst.slice(2, 4))
        expect((await client.delete(`${list.path()}/${removed}`)).status).to.equal(204);
      const rest = await get(`?cursor=${next}`);
      expect([...idsOf(data), ...idsOf(rest.data)]).to.eql(newestFirst.toSpliced(3, 1));
    });

    it(`clamps the limit of ${name}, and passes over what is no parameter`, async () => {
      for (let number = 0; number < 3; number += 1) await list.create(number);
      for (const limit of ['0', '-7', '1', '1.9']) {
        const { data } = await get(`?limit=${limit}`);
        expect(data, limit).to.have.length(1);
      }
      const all = await get('');
      expect(idsOf((await get('?limit=100000')).data)).to.have.members(idsOf(all));
      expect(await get('?page=2&orderBy=name:ASC&status=disabled&nothing[]=1')).to.eql(all);
    });

    for (const query of [
      ...['limit=', 'limit=all', 'limit=0x10', 'limit=1&limit=2', 'cursor=', 'cursor=*', 'cursor=bm9wZQ'],
      ...[`cursor=${'MDAx'.repeat(40)}`, 'cursor=MDAx=', 'cursor=A'],
    ])
      it(`rejects ${name}?${query.slice(0, 20)}`, async () => {
        const answer = await client.get(`${list.path()}?${query}`);
        expectValidationError(answer, query.split('=')[0] ?? '');
      });
  }

  it('finds actors and rooms by a part of the name, in any case', async () => {
    for (const list of [lists.actors, lists.rooms]) {
      const [one, ten] = [await list.create(1), await list.create(10)];
      await list.create(2);
      const order = list.isNewestFirst ? [ten, one] : [one, ten];
      const search = async (query: string): Promise<any> =>
        (await client.get(`${list.path()}?${query}`)).body;
      const idsOf = (rows: readonly Row[]) => rows.map((row) => row[list.id]);
      expect(idsOf(await search('name=tILL%201'))).to.eql(idsOf(order));
      expect(await search('name=nobody')).to.eql([]);
      expect(await search('name=.')).to.eql([]);
      expect(await search('name=till%00')).to.eql([]);
      const page = await search('name=till%201&limit=1');
      expect(idsOf(page.data)).to.eql(idsOf([ten]));
      expect(idsOf((await search(`name=till%201&cursor=${page.next}`)).data)).to.eql(idsOf([one]));
    }
  });

  it('finds a room by its exact slug', async () => {
    const { roomId } = await lists.rooms.create(1);
    await lists.rooms.create(10);
    const found = await client.get(`${rooms}?slug=till-1`);
    expect((found.body as Row[]).map((room) => room['roomId'])).to.eql([roomId]);
    expect((await client.get(`${rooms}?slug=TILL-1`)).body).to.eql([]);
    const page = await client.get(`${rooms}?slug=till-1&limit=5`);
    expect(page.body).to.eql({ data: found.body, next: null });
  });

  it('takes neither name nor slug where there are none', async () => {
    await lists.grants.create(1);
    for (const query of ['name=nobody', 'slug=nobody'])
      expect((await client.get(`${grants}?${query}`)).body).to.have.length(1);
    expect((await client.get('/actors?slug=nobody')).body).to.have.length(1);
  });
});
