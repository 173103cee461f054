import { expect } from 'chai';
import { join } from 'node:path';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { openEmbeddedConnectionRecord } from '../../../../src/adapters/connection-record/embeddedConnectionRecord.js';
import type { ConnectionRecord } from '../../../../src/ports/connectionRecord.js';
import type { ConnectionFact, FactBatch } from '../../../../src/wire/bus/connectionFacts.js';

/** A segment takes a sixteenth of it: some twenty connections. */
const maxBytes = 400_000;
const connections = 200;
const rooms = ['hall', 'yard', 'loft'];

const authenticated = (n: number): ConnectionFact => ({
  ...{ connection: `c${n}`, at: n, kind: 'authenticated', organizationId: 'o1', projectId: `p${n % 2}` },
  ...{ actorTokenId: `a${n % 7}`, keyId: 'k', actorType: 'human', scope: null, mark: 'm', address: '::1' },
  connectedAt: n,
});
const subscribed = (n: number, at: number): ConnectionFact => ({
  ...{
    connection: `c${n}`,
    at,
    kind: 'subscribed',
    topic: `p/shop/_/${rooms[n % rooms.length] as string}/chat`,
  },
});
const closed = (n: number, at: number): ConnectionFact => ({
  ...{ connection: `c${n}`, at, kind: 'closed', code: 1000, reason: '', by: 'client', places: {} },
});

describe('the record of connections on files, in many segments', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let record: ConnectionRecord;
  let number: number;

  const open = () => openEmbeddedConnectionRecord({ file: (name) => join(folder.path, name) }, maxBytes);
  const write = async (facts: readonly ConnectionFact[]): Promise<void> => {
    number += 1;
    const batch: FactBatch = { ...{ gateway: 'g1', number, from: number, upTo: number + 1 }, facts };
    await record.write([batch]);
  };
  const ids = async (query: object): Promise<readonly string[]> => {
    const found = await record.find({ organizationId: 'o1', limit: connections, ...query });
    return found.connections.map(({ connectionId }) => connectionId);
  };
  const newest = (isAsked: (n: number) => boolean): readonly string[] =>
    Array.from({ length: connections }, (_, n) => n)
      .filter(isAsked)
      .toReversed()
      .map((n) => `c${n}`);

  beforeEach(async () => {
    folder = await temporaryFolder();
    [record, number] = [await open(), 0];
    // Each closes long after it began, and every tenth stays.
    for (let n = 0; n < connections; n += 1) await write([authenticated(n), subscribed(n, n)]);
    for (let n = 0; n < connections; n += 1) if (n % 10 !== 0) await write([closed(n, connections + n)]);
  });
  afterEach(async () => {
    await record.close();
    await folder.remove();
  });

  const expectAll = async (): Promise<void> => {
    expect(await ids({})).to.deep.equal(newest(() => true));
    expect(await ids({ projectId: 'p1' })).to.deep.equal(newest((n) => n % 2 === 1));
    expect(await ids({ actorTokenId: 'a3' })).to.deep.equal(newest((n) => n % 7 === 3));
    expect(await ids({ room: 'shop/yard' })).to.deep.equal(newest((n) => n % 3 === 1));
    expect(await ids({ room: 'shop/yard', actorTokenId: 'a3' })).to.deep.equal(
      newest((n) => n % 3 === 1 && n % 7 === 3),
    );
    expect(await ids({ state: 'open' })).to.deep.equal(newest((n) => n % 10 === 0));
    const facts = await record.timeline({ connectionId: 'c11', limit: 10 });
    expect(facts.map(({ fact }) => fact.kind)).to.deep.equal(['authenticated', 'subscribed', 'closed']);
    const rest = await record.timeline({ connectionId: 'c11', limit: 10, after: facts[1]?.place });
    expect(rest.map(({ fact }) => fact.kind)).to.deep.equal(['closed']);
    expect((await record.get('o1', 'c11'))?.closed?.at).to.equal(connections + 11);
  };

  it('finds what there is, however it is divided', expectAll);

  it('finds it when the process has begun again, and goes on where it was', async () => {
    await record.close();
    record = await open();
    await expectAll();
    await write([closed(10, 2 * connections)]);
    expect(await ids({ state: 'open' })).to.deep.equal(newest((n) => n % 10 === 0 && n !== 10));
  });

  it('has no facts of a removed project, whether in segments or not', async () => {
    await record.removeOf(['p1']);
    expect(await ids({})).to.deep.equal(newest((n) => n % 2 === 0));
    expect(await record.timeline({ connectionId: 'c11', limit: 10 })).to.deep.equal([]);
    await record.close();
    record = await open();
    expect(await ids({})).to.deep.equal(newest((n) => n % 2 === 0));
  });

  it('forgets a part of a segment, and keeps what is newer', async () => {
    const before = connections / 2;
    expect(await record.prune(before)).to.equal(2 * before);
    expect(await ids({})).to.deep.equal(newest((n) => n >= before || n % 10 !== 0));
    const facts = await record.timeline({ connectionId: 'c11', limit: 10 });
    expect(facts.map(({ fact }) => fact.kind)).to.deep.equal(['closed']);
  });

  it('reads while segments are written anew', async () => {
    const [found] = await Promise.all([ids({ projectId: 'p0' }), record.removeOf(['p1']), record.prune(1)]);
    expect(found).to.include.members(newest((n) => n % 2 === 0 && n > 0));
  });
});
