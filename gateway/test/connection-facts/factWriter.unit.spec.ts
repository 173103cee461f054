import { expect } from 'chai';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { eventually } from '@roomwire/testing/run/eventually';
import type { ConnectionFact, FactBatch } from '@roomwire/shared/wire/bus/connectionFacts';
import { FactWriter, type FactWriterDeps } from '../../src/connection-facts/factWriter.js';

const start = 1_000_000;

const fact = (connection: string, at: number): ConnectionFact => ({
  ...{ connection, at, kind: 'unsubscribed', topic: 'p/a/_/r/t', reason: 'client' },
});
const standing = (connection: string, at: number): ConnectionFact => ({
  ...{ connection, at, kind: 'standing', organizationId: 'o', projectId: 'p', actorTokenId: 'a', keyId: 'k' },
  ...{ actorType: 'user', scope: null, mark: 'm', address: '::1', connectedAt: start, subscriptions: [] },
});

describe('the writer of connection facts', () => {
  let clock: ManualClock;
  let writer: FactWriter;
  let written: FactBatch[];
  /** What refuses batches. */
  let isDown: boolean;
  let reached: number;
  let refused: number;

  const open = async (options: FactWriterDeps['options'] = {}): Promise<void> => {
    writer = new FactWriter({
      ...{ gatewayId: 'g', clock, logger: silentLogger },
      limits: { reached: (_name, _of, times = 1) => void (reached += times) },
      write: async (batch) => {
        if (isDown) {
          refused += 1;
          throw new Error('down');
        }
        if (batch.facts.some(({ connection }) => connection === 'too large')) {
          refused += 1;
          throw new RangeError('A record is too large');
        }
        written.push(batch);
      },
      options: { everyMs: 5, idleMs: 2_000, tellAgainMs: 1_000_000, ...options },
    });
    await writer.start();
  };
  const telling = (id: string) => ({ id, standing: () => [standing(id, clock.now())] });
  const kindsOf = () => written.flatMap(({ facts }) => facts.map(({ kind }) => kind));

  beforeEach(() => {
    clock = new ManualClock(start);
    [written, isDown, reached, refused] = [[], false, 0, 0];
  });
  afterEach(() => writer.close());

  it('says that the gateway is there before there are connections', async () => {
    await open();
    expect(written).to.eql([{ gateway: 'g', number: 1, from: start, upTo: start, facts: [] }]);
  });

  it('writes each fact once, in batches that follow one another', async () => {
    await open();
    for (let n = 0; n < 5_000; n += 1) {
      if (n % 100 === 0) clock.pass(1);
      writer.add(fact(`c${n}`, clock.now()));
    }
    await eventually(() => kindsOf().length === 5_000);
    const connections = written.flatMap(({ facts }) => facts.map(({ connection }) => connection));
    expect(connections).to.eql(Array.from({ length: 5_000 }, (_, n) => `c${n}`));
    // The first says that the gateway is there; half a megabyte is in each of the others.
    expect(written.map(({ facts }) => facts.length).toSorted((one, two) => two - one)[0]).to.be.within(
      2_000,
      2_100,
    );
    for (const [at, batch] of written.entries()) {
      expect(batch.number).to.equal(at + 1);
      if (at > 0) expect(batch.from).to.equal(written[at - 1]?.upTo);
    }
  });

  it('says only of a time that is over that all of it is told', async () => {
    await open();
    clock.pass(10);
    writer.add(fact('c1', clock.now()));
    await eventually(() => written.length === 2);
    expect(written[1]?.upTo).to.equal(clock.now() - 1);
  });

  it('says now and then that nothing has happened', async () => {
    await open();
    clock.pass(2_000);
    await eventually(() => written.length === 2);
    expect(written[1]).to.include({ number: 2, from: start, upTo: start + 1_999 });
  });

  it('writes a batch again that may not have come', async () => {
    await open();
    isDown = true;
    clock.pass(10);
    writer.add(fact('c1', clock.now()));
    await eventually(() => refused > 0);
    isDown = false;
    await eventually(() => written.length === 2);
    expect(written[1]).to.deep.include({ number: 2, facts: [fact('c1', start + 10)] });
  });

  it('goes on behind a batch that is refused for its size, and says of which time facts are missing', async () => {
    await open();
    writer.enter(telling('c1'));
    clock.pass(10);
    writer.add(fact('too large', clock.now()));
    await eventually(() => written.some(({ isAccount }) => isAccount === true));
    expect(refused).to.equal(1);
    expect(written[1]).to.deep.include({
      number: 2,
      facts: [],
      gap: { from: start, upTo: start + 9, lost: 1 },
    });
    clock.pass(10);
    writer.add(fact('c2', clock.now()));
    await eventually(() => kindsOf().length === 2);
    expect(kindsOf()).to.eql(['standing', 'unsubscribed']);
  });

  it('tells of the time of which facts were lost, and then of every connection that is open', async () => {
    await open({ waitingBytes: 2_000 });
    for (const id of ['c1', 'c2']) writer.enter(telling(id));
    isDown = true;
    clock.pass(10);
    for (let n = 0; n < 20; n += 1) writer.add(fact('c1', clock.now()));
    clock.pass(10);
    isDown = false;
    await eventually(() => written.some(({ isAccount }) => isAccount === true));
    const gaps = written.flatMap(({ gap }) => gap ?? []);
    expect(gaps).to.have.length(1);
    expect(gaps[0]?.lost).to.equal(reached).and.to.be.greaterThan(0);
    expect(gaps[0]).to.include({ upTo: start + 10 });
    expect(gaps[0]?.from).to.be.at.most(start + 10);
    const told = written.flatMap(({ facts }) => facts).filter(({ kind }) => kind === 'standing');
    expect(told.map(({ connection }) => connection)).to.eql(['c1', 'c2']);
    expect(kindsOf().length + reached).to.equal(22);
  });

  it('tells of an open connection anew in time, and not of one that has ended', async () => {
    await open({ tellAgainMs: 1_000 });
    for (const id of ['c1', 'c2']) writer.enter(telling(id));
    writer.leave('c2');
    clock.pass(1_001);
    await eventually(() => kindsOf().length === 1);
    clock.pass(1_001);
    await eventually(() => kindsOf().length === 2);
    expect(written.flatMap(({ facts }) => facts.map(({ connection }) => connection))).to.eql(['c1', 'c1']);
  });

  it('leaves out hand-outs of jobs beyond a rate, and says of which time', async () => {
    await open({ handOutsPerSecond: 1 });
    clock.pass(10);
    for (let n = 0; n < 5; n += 1) writer.addHandOut(fact(`c${n}`, clock.now()));
    await eventually(() => written.length === 2);
    const { facts, handOutGap, gap } = written[1] as FactBatch;
    expect(facts).to.have.length(2);
    expect(handOutGap).to.eql({ from: start + 10, upTo: start + 10, lost: 3 });
    expect(gap).to.equal(undefined);
  });

  it('ends with what waits, and says that it was the last', async () => {
    await open();
    clock.pass(10);
    for (let n = 0; n < 700; n += 1) writer.add(fact(`c${n}`, clock.now()));
    await writer.close();
    expect(kindsOf()).to.have.length(700);
    expect(written.at(-1)).to.include({ isLast: true, upTo: clock.now() });
    expect(written.filter(({ isLast }) => isLast)).to.have.length(1);
  });
});
