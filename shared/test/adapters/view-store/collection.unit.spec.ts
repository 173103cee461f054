import { expect } from 'chai';
import { Collection, type Document } from '../../../src/adapters/view-store/collection.js';
import { compileFilter } from '../../../src/adapters/view-store/compiledFilter.js';
import { page } from '../../../src/adapters/view-store/ordering.js';
import type { ViewFilter } from '../../../src/ports/viewStore.js';
import { workSlices } from '../../../src/runtime/workSlices.js';
import { seededChance } from '@roomwire/testing/run/seededChance';

describe('Collection', () => {
  const collectionOf = (documents: Readonly<Record<string, Document>>): Collection => {
    const collection = new Collection([['app', 'slug']], [['app']], () => {});
    for (const [id, document] of Object.entries(documents)) collection.put(id, document);
    return collection;
  };
  const ids = (collection: Collection, filter: ViewFilter): string[] =>
    collection.matching(compileFilter(filter)).map(({ id }) => id);

  /** How many documents a search looks at. */
  const looks = (collection: Collection, filter: ViewFilter): number => {
    let count = 0;
    const compiled = compileFilter(filter);
    const matches = (document: object): boolean => {
      count += 1;
      return compiled.matches(document);
    };
    collection.matching({ ...compiled, matches });
    return count;
  };
  const hundred = (): Collection =>
    collectionOf(
      Object.fromEntries(
        Array.from({ length: 100 }, (_, n) => [
          `${n}`,
          { app: `app-${n % 10}`, slug: `slug-${n}`, name: 'x' },
        ]),
      ),
    );

  it('examines only the documents of the most selective index', () => {
    expect(looks(hundred(), { name: 'x' })).to.equal(100);
    expect(looks(hundred(), { app: 'app-1' })).to.equal(10);
    expect(looks(hundred(), { app: 'app-1', slug: 'slug-11' })).to.equal(1);
    expect(looks(hundred(), { $and: [{ app: { $eq: 'app-1' } }, { slug: 'slug-11' }] })).to.equal(1);
    expect(looks(hundred(), { $or: [{ app: 'app-1' }] })).to.equal(100);
    expect(looks(hundred(), { app: 'unknown' })).to.equal(0);
  });

  it('matches a pattern on a field as any other engine does', () => {
    const documents = collectionOf({
      ...{ a: { slug: 'vip-1' }, b: { slug: 'a-vip-1' }, c: { slug: ['x', 'vip-2'] }, d: { slug: 7 }, e: {} },
    });
    expect(ids(documents, { slug: { $regex: '^vip-' } })).to.deep.equal(['a', 'c']);
    expect(ids(documents, { slug: { $regex: '^VIP-', $options: 'i' } })).to.deep.equal(['a', 'c']);
  });

  it('does not examine documents that have left an index', () => {
    const collection = hundred();
    for (const id of ['1', '11']) collection.patch(id, { app: 'elsewhere' });
    collection.remove('21');
    expect(looks(collection, { app: 'app-1' })).to.equal(7);
    expect(looks(collection, { app: 'app-1', slug: 'slug-11' })).to.equal(0);
    expect(looks(collection, { app: 'elsewhere' })).to.equal(2);
  });

  it('distinguishes types in an index and finds missing fields by null', () => {
    const collection = collectionOf({ a: { app: 1 }, b: { app: '1' }, c: { app: null }, d: {} });
    expect(ids(collection, { app: 1 })).to.deep.equal(['a']);
    expect(ids(collection, { app: '1' })).to.deep.equal(['b']);
    expect(ids(collection, { app: null })).to.deep.equal(['c', 'd']);
    expect(ids(collection, { app: null, slug: null })).to.deep.equal(['c', 'd']);
  });

  it('finds every document when an indexed field holds a list', () => {
    const collection = collectionOf({ a: { app: ['x', 'y'] }, b: { app: 'x' } });
    expect(ids(collection, { app: 'x' })).to.deep.equal(['a', 'b']);
    collection.put('a', { app: 'y' });
    expect(ids(collection, { app: 'x' })).to.deep.equal(['b']);
    expect(ids(collection, { app: 'y' })).to.deep.equal(['a']);
  });

  it('finds a changed document by its current index values', () => {
    const collection = collectionOf({ a: { app: 'x', slug: 's' }, b: { app: 'x', slug: 't' } });
    collection.patch('a', { app: 'y' });
    expect(ids(collection, { app: 'x' })).to.deep.equal(['b']);
    expect(ids(collection, { app: 'y', slug: 's' })).to.deep.equal(['a']);
    collection.remove('a');
    collection.remove('b');
    expect(ids(collection, { app: 'y' })).to.deep.equal([]);
    expect(ids(collection, { app: 'x' })).to.deep.equal([]);
    collection.put('a', { app: 'x' });
    expect(ids(collection, { app: 'x' })).to.deep.equal(['a']);
  });
});

describe('an index on a path into a list', () => {
  const collection = (): Collection => {
    const made = new Collection([['project', 'config.lobbies.slug']], [], () => {});
    for (const [id, slugs] of Object.entries({ a: ['east', 'west', 'east'], b: ['east'], c: [] }))
      made.put(id, { project: 'p', config: { lobbies: slugs.map((slug) => ({ slug })) } });
    made.put('d', { project: 'p', config: {} });
    return made;
  };
  const filter = (slug: string | null): ViewFilter => ({ project: 'p', 'config.lobbies.slug': slug });
  const found = (documents: Collection, slug: string | null): readonly string[] =>
    documents.matching(compileFilter(filter(slug))).map(({ id }) => id);
  const looks = (documents: Collection, slug: string | null): number => {
    let count = 0;
    documents.matching({ ...compileFilter(filter(slug)), matches: () => ++count > 0 });
    return count;
  };

  it('finds a document by each element, and looks at no other', () => {
    const documents = collection();
    expect(found(documents, 'east')).to.deep.equal(['a', 'b']);
    expect(found(documents, 'west')).to.deep.equal(['a']);
    expect(found(documents, 'north')).to.deep.equal([]);
    expect([looks(documents, 'east'), looks(documents, 'north')]).to.deep.equal([2, 0]);
  });

  it('follows changes', () => {
    const documents = collection();
    documents.patch('a', { config: { lobbies: [{ slug: 'north' }] } });
    documents.remove('b');
    expect([found(documents, 'east'), found(documents, 'north')]).to.deep.equal([[], ['a']]);
    expect(looks(documents, 'west')).to.equal(0);
  });

  it('is not used where nothing is looked for, nor while an element is no scalar', () => {
    const documents = collection();
    expect(looks(documents, null)).to.equal(4);
    documents.put('e', { project: 'p', config: { lobbies: [{ slug: ['east'] }] } });
    expect(found(documents, 'east')).to.deep.equal(['a', 'b', 'e']);
    documents.remove('e');
    expect(looks(documents, 'east')).to.equal(2);
  });
});

describe('page', () => {
  const order = async (values: readonly unknown[], direction: 1 | -1, limit?: number): Promise<number[]> => {
    const documents = values.map((value, place) => ({ value, place }));
    const query = { sort: [['value', direction]] as const, ...(limit !== undefined && { limit }) };
    return (await page(documents, query, workSlices())).map(({ place }) => place);
  };

  it('sorts a list by its least element, and by its greatest backwards', async () => {
    const values = [[5, 1], [], 3, null, [2, 9]];
    expect(await order(values, 1)).to.deep.equal([1, 3, 0, 4, 2]);
    expect(await order(values, -1)).to.deep.equal([4, 0, 2, 3, 1]);
  });

  it('keeps the order of equal documents, in a short page as in the whole list', async () => {
    const values = Array.from({ length: 100 }, (_, n) => (n % 3 === 0 ? 'a' : 'b'));
    const all = await order(values, 1);
    expect(all.slice(0, 3)).to.deep.equal([0, 3, 6]);
    expect(await order(values, 1, 5)).to.deep.equal(all.slice(0, 5));
    expect(await order(values, -1, 5)).to.deep.equal([1, 2, 4, 5, 7]);
  });

  it('sorts many documents as the built-in sort does', async () => {
    const chance = seededChance(7);
    const values = Array.from({ length: 5_000 }, () => chance.below(600));
    const byValue = (one: number, other: number): number => (values[one] ?? 0) - (values[other] ?? 0);
    expect(await order(values, 1)).to.deep.equal([...values.keys()].sort(byValue));
  });
});
