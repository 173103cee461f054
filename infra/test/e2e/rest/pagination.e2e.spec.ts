import { expect } from 'chai';
import fc from 'fast-check';
import type { ApiClient } from '../../support/apiClient.js';
import { withLog, writeHistory } from '../../support/eventLogAccess.js';
import { expectValidationError } from '../../support/shapes.js';
import { startTestService, type TestService } from '../../support/testService.js';
import { seedLists } from './contract/seedLists.js';

type Row = Readonly<Record<string, unknown>>;
type Order = readonly [field: string, direction: 'ASC' | 'DESC'];

interface List {
  readonly path: '/apps' | '/scopes' | '/signing-keys';
  readonly id: string;
  readonly orderable: readonly string[];
  readonly filters: Readonly<Record<string, readonly string[]>>;
  /** What always precedes the requested order. */
  readonly first: readonly Order[];
}

const partsOfNames = ['a', 'B', '.', '*', '\\', '(', '^a', 'Ä', '😀', 'nobody'];
const statuses = ['active', 'disabled'];
const lists: readonly List[] = [
  {
    path: '/apps',
    id: 'appId',
    orderable: ['name', 'slug', 'status', 'createdAt', 'updatedAt'],
    filters: { name: partsOfNames, status: [...statuses, 'suspended'] },
    first: [],
  },
  {
    path: '/scopes',
    id: 'accessScopeId',
    orderable: ['name', 'slug', 'isActive', 'createdAt', 'updatedAt'],
    filters: {
      name: partsOfNames,
      isActive: ['true', 'false'],
      slug: ['scope-7', 'scope-8', 'scope', 'SCOPE-7'],
    },
    first: [['createdAt', 'DESC']],
  },
  {
    path: '/signing-keys',
    id: 'signingKeyId',
    orderable: ['name', 'keyId', 'status', 'createdAt', 'updatedAt'],
    filters: { name: partsOfNames, status: statuses },
    first: [],
  },
];

const wrongOrders = [
  '',
  'name',
  'name:asc',
  'name:UP',
  ':ASC',
  'nothing:ASC',
  'projectId:ASC',
  '__proto__:ASC',
];

/** More than the largest page. */
const count = 120;
const seed = 20260301;
const seeded = seedLists(seed, count);

/** By code points, and false before true. */
const compare = (left: unknown, right: unknown): number => {
  if (typeof left !== 'string' || typeof right !== 'string') return Number(left) - Number(right);
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
};

const inOrder =
  (orders: readonly Order[]) =>
  (left: Row, right: Row): number => {
    for (const [field, direction] of orders) {
      const order = compare(left[field], right[field]);
      if (order !== 0) return direction === 'ASC' ? order : -order;
    }
    return 0;
  };

/** A name by a part of it, whatever the case; anything else as it is. */
const fits = (row: Row, filters: Readonly<Record<string, string>>): boolean =>
  Object.entries(filters).every(([field, wanted]) =>
    field === 'name'
      ? (row['name'] as string).toLowerCase().includes(wanted.toLowerCase())
      : String(row[field]) === wanted,
  );

interface Question {
  readonly page?: number;
  readonly limit?: number;
  readonly orders: readonly Order[];
  readonly filters: Readonly<Record<string, string>>;
}

/** What a sheet of paper with all records on it, the newest on top, says to the question. */
const onPaper = (
  { first }: List,
  newestFirst: readonly Row[],
  { page = 1, limit = 10, ...asked }: Question,
) => {
  const size = Math.min(100, Math.max(1, Math.trunc(limit)));
  const fitting = newestFirst.filter((row) => fits(row, asked.filters));
  const sorted = fitting.toSorted(inOrder([...first, ...asked.orders]));
  return {
    data: sorted.slice((page - 1) * size, page * size),
    pagination: { total: fitting.length, page, pageCount: Math.ceil(fitting.length / size) },
  };
};

const queryOf = ({ page, limit, orders, filters }: Question): string => {
  const query = new URLSearchParams(filters);
  if (page !== undefined) query.set('page', String(page));
  if (limit !== undefined) query.set('limit', String(limit));
  for (const [field, direction] of orders) query.append('orderBy[]', `${field}:${direction}`);
  return query.toString();
};

const question = ({ orderable, filters }: List): fc.Arbitrary<Question> =>
  fc.record(
    {
      page: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constantFrom(1_000, 1_000_000_000)),
      limit: fc.oneof(
        fc.integer({ min: 1, max: count + 5 }),
        fc.constantFrom(-1_000_000_000, -1, 0, 1, 1.9, 99, 100, 101, 1_000_000_000),
      ),
      orders: fc.array(
        fc.tuple(fc.constantFrom(...orderable), fc.constantFrom('ASC' as const, 'DESC' as const)),
        { maxLength: 3 },
      ),
      filters: fc.record(
        Object.fromEntries(
          Object.entries(filters).map(([field, values]) => [field, fc.constantFrom(...values)]),
        ),
        { requiredKeys: [] },
      ) as fc.Arbitrary<Record<string, string>>,
    },
    { requiredKeys: ['orders', 'filters'] },
  );

describe('REST paginated lists', () => {
  let service: TestService;
  let client: ApiClient;

  before(async () => {
    service = await startTestService({}, (config) =>
      withLog(config, (log) => writeHistory(log, seeded.events)),
    );
    client = service.client(seeded.apiKey);
  });
  after(() => service.close());

  for (const list of lists)
    describe(list.path, () => {
      let newestFirst: readonly Row[];

      before(async () => {
        const all: Row[] = [];
        for (const page of [1, 2]) all.push(...(await answerTo(`limit=60&page=${page}`)).data);
        const rows = new Map(all.map((row) => [row[list.id], row]));
        newestFirst = seeded.created[list.path.slice(1) as keyof typeof seeded.created]
          .map((id) => rows.get(id) as Row)
          .reverse();
        expect(newestFirst).to.have.length(count).and.not.include(undefined);
      });

      const answerTo = async (query: string) => {
        const { status, body } = await client.get(`${list.path}?${query}`);
        expect(status, query).to.equal(200);
        return body;
      };

      it('have the same records on a page as an independent sort', async () => {
        await fc.assert(
          fc.asyncProperty(question(list), async (asked) => {
            expect(await answerTo(queryOf(asked))).to.eql(onPaper(list, newestFirst, asked));
          }),
          { seed, numRuns: 150 },
        );
      });

      it('show every record once, in any order, page by page', async () => {
        for (const field of list.orderable) {
          const seen: Row[] = [];
          for (let page = 1; page <= 18; page += 1)
            seen.push(...(await answerTo(`limit=7&page=${page}&orderBy[]=${field}:ASC`)).data);
          expect(seen.map((row) => row[list.id])).to.have.members(newestFirst.map((row) => row[list.id]));
        }
      });

      it('have ten records on a page, and start at the first page, by default', async () => {
        const { data, pagination } = await answerTo('');
        expect(data).to.have.length(10);
        expect(pagination).to.eql({ total: count, page: 1, pageCount: 12 });
      });

      it('clamp the limit', async () => {
        const sizes = { '-1': 1, 0: 1, 1: 1, 60: 60, 100: 100, 101: 100, '1e9': 100 };
        for (const [limit, size] of Object.entries(sizes)) {
          const { data, pagination } = await answerTo(`limit=${limit}`);
          expect({ limit, size: data.length }).to.eql({ limit, size });
          expect(pagination.pageCount).to.equal(Math.ceil(count / size));
        }
      });

      it('are empty beyond their end, and show the number of pages', async () => {
        expect(await answerTo('page=1000000000')).to.eql({
          data: [],
          pagination: { total: count, page: 1_000_000_000, pageCount: 12 },
        });
        expect(await answerTo('name=nobody')).to.eql({
          data: [],
          pagination: { total: 0, page: 1, pageCount: 0 },
        });
      });

      it('refuse an invalid page, limit, order or filter', async () => {
        const wrong = {
          page: [
            'page=abc',
            'page=-1',
            'page=0',
            'page=1.5',
            'page=',
            'page=1&page=2',
            'page=NaN',
            'page=0x1',
          ],
          limit: ['limit=abc', 'limit=', 'limit=1&limit=2', 'limit=Infinity', 'limit[]=1'],
          orderBy: ['orderBy=name:ASC'],
          'orderBy.0': ['orderBy[a]=name:ASC', ...wrongOrders.map((order) => `orderBy[]=${order}`)],
          ...('status' in list.filters ? { status: ['status=dead', 'status=', 'status=ACTIVE'] } : {}),
          ...('isActive' in list.filters ? { isActive: ['isActive=1', 'isActive=', 'isActive=TRUE'] } : {}),
          ...(list.path === '/apps' ? { blueprintId: ['blueprintId=x', 'blueprintId='] } : {}),
          name: ['name=a&name=b', 'name[]=a', 'name[$ne]=a'],
        };
        for (const [path, queries] of Object.entries(wrong))
          for (const query of queries)
            try {
              expectValidationError(await client.get(`${list.path}?${query}`), path);
            } catch (error) {
              throw new Error(`At ${query}`, { cause: error });
            }
      });
    });
});
