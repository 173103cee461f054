import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import type { LeaseStatement } from '@roomwire/shared/wire/bus/gatewayNews';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { Lease } from '../../src/limits/lease.js';
import type { LeaseOutcome } from '../../src/limits/leaseTerms.js';

/** Long enough never to be over, but by the clock of a test. */
const waits = { returnMs: 60_000, answerMs: 60_000, restMs: 60_000 };

/** The lease of gateway `a` on a hundred of something. */
const world = (...others: readonly string[]) => {
  const clock = new ManualClock();
  const terms = {
    ...{ most: 100 as number | null, used: 0, usedUp: 0, isFreedAgain: true },
    use: () => void (terms.used += 1),
    usedBy: () => 0,
    read: async () => void (state.reads += 1),
  };
  const told: string[] = [];
  const state = { isReady: true, number: 0, reads: 0 };
  let known: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => (known = resolve));
  const lease = new Lease('k', terms, {
    ...{ clock, waits, ready, gatewayId: 'a', isReady: () => state.isReady },
    cluster: { others, takesLeases: (id) => id !== 'former', isHeard: true, absences: 0 },
    nextNumber: () => (state.number += 1),
    say: () => void told.push('say'),
    sayLater: () => void told.push('later'),
  });
  const hear = (gatewayId: string, order: number, statement: Partial<LeaseStatement>): void =>
    lease.heard(gatewayId, { key: 'k', held: 0, ...statement }, order);
  /** Its last statement has come back. */
  const back = (order: number, number = state.number): void =>
    lease.returned({ key: 'k', held: 0, claim: { number, upTo: 1 } }, order);
  const answer = (number = state.number) => [{ gatewayId: 'a', number }];
  return { lease, clock, terms, told, state, known, hear, back, answer };
};

/** The outcome so far. */
const soFar = async (outcome: LeaseOutcome | Promise<LeaseOutcome>): Promise<LeaseOutcome | 'waits'> => {
  await turn();
  await turn();
  return Promise.race([outcome, turn('waits' as const)]);
};

/** One that waits for its first place, of which the others know nothing yet. */
const claiming = async (...others: readonly string[]) => {
  const made = world(...others);
  made.known();
  const outcome = made.lease.take();
  await turn();
  return { ...made, outcome };
};

/** One that holds 25, and uses one of them. */
const holding = async () => {
  const made = await claiming('b');
  made.lease.statement();
  made.back(5);
  made.hear('b', 6, { held: 2, answers: made.answer() });
  expect(await made.outcome).to.equal('taken');
  made.told.splice(0);
  return made;
};

describe('[WS-AUTH-12] a claim', () => {
  it('says how much is wanted, and asks for it where it is not known what the others hold', async () => {
    const { lease, told, outcome } = await claiming('b');
    expect(told).to.eql(['say']);
    expect(lease.statement()).to.eql({ key: 'k', held: 0, claim: { number: 1, upTo: 25 }, asks: true });
    // Repeated as long as it is not decided, without asking again.
    const claim = { number: 1, upTo: 25, isRepeated: true };
    for (let time = 0; time < 2; time++) expect(lease.statement()).to.eql({ key: 'k', held: 0, claim });
    expect(await soFar(outcome)).to.equal('waits');
  });

  it('has read meanwhile what the others have stored, where it is not known what they hold', async () => {
    expect((await claiming('b')).state.reads).to.equal(1);
    const { lease, known, state, hear } = world('b');
    lease.started('b');
    hear('b', 1, { held: 100 });
    known();
    void lease.take();
    await turn();
    expect([state.number, state.reads]).to.eql([1, 0]);
  });

  it('is decided when it has come back and the others have answered, and that is said', async () => {
    const { lease, told, outcome, hear, back, answer } = await claiming('b');
    lease.statement();
    hear('b', 4, { held: 2, answers: answer() });
    expect(await soFar(outcome)).to.equal('waits');
    told.splice(0);
    back(5);
    expect(await soFar(outcome)).to.equal('taken');
    expect([told, lease.statement()]).to.eql([['say'], { key: 'k', held: 25 }]);
  });

  it('is not decided by answers to others, or to an earlier claim', async () => {
    const { outcome, hear, back, answer } = await claiming('b');
    back(5);
    hear('b', 6, { held: 2, answers: [{ gatewayId: 'c', number: 1 }] });
    hear('b', 7, { held: 2, answers: answer(9) });
    hear('b', 8, { held: 2 });
    expect(await soFar(outcome)).to.equal('waits');
    hear('b', 9, { held: 2, answers: [{ gatewayId: 'c', number: 1 }, ...answer()] });
    expect(await soFar(outcome)).to.equal('taken');
  });

  it('needs the answers of all others', async () => {
    const { outcome, hear, back, answer } = await claiming('b', 'c');
    back(5);
    hear('b', 6, { held: 2, answers: answer() });
    expect(await soFar(outcome)).to.equal('waits');
    hear('c', 7, { held: 2, answers: answer() });
    expect(await soFar(outcome)).to.equal('taken');
  });

  it('asks nobody where there is room for it, even if no more than for it', async () => {
    for (const [held, asks] of [
      [0, false],
      [99, false],
      [100, true],
    ] as const) {
      const { lease, known, hear, back } = world('b');
      lease.started('b');
      hear('b', 1, { held });
      known();
      const outcome = lease.take();
      await turn();
      expect('asks' in lease.statement(), `${held} held`).to.equal(asks);
      back(5);
      expect(await soFar(outcome), `${held} held`).to.equal(asks ? 'waits' : 'taken');
    }
  });

  it('asks where there turns out to be no room for it', async () => {
    const { lease, known, hear, back, told } = world('b');
    lease.started('b');
    known();
    const outcome = lease.take();
    await turn();
    expect(lease.statement()).to.not.have.property('asks');
    hear('b', 4, { held: 100 });
    told.splice(0);
    back(5);
    expect(told).to.eql(['say']);
    expect(lease.statement()).to.include({ asks: true });
    expect(await soFar(outcome)).to.equal('waits');
  });

  it('goes before later ones, and after earlier ones', async () => {
    for (const [order, held] of [
      [7, 25],
      [3, 3],
    ] as const) {
      const { lease, outcome, hear, back, answer } = await claiming('b');
      hear('b', order, { held: 2, claim: { number: 1, upTo: 90 } });
      back(5);
      hear('b', 8, { held: 2, claim: { number: 1, upTo: 90, isRepeated: true }, answers: answer() });
      expect(await soFar(outcome)).to.equal('taken');
      expect(lease.statement(), `after ${order}`).to.include({ held });
    }
  });

  it('is not said where the others take no leases, or there are none', async () => {
    for (const others of [[], ['former']]) {
      const made = world(...others);
      made.state.isReady = false;
      made.known();
      expect(await soFar(made.lease.take())).to.equal('taken');
      expect(made.told).to.eql([]);
    }
  });

  it('is void when it has taken so long that the others may believe that it is', async () => {
    const { clock, told, outcome, hear } = await claiming('b');
    clock.pass(waits.returnMs + 2 * waits.answerMs);
    hear('b', 4, {});
    expect(await soFar(outcome)).to.equal('waits');
    clock.pass(1);
    told.splice(0);
    hear('b', 5, {});
    expect(await soFar(outcome)).to.equal('unavailable');
    expect(told).to.eql(['later']);
  });

  it('that is known to the others and was given up is taken back', async () => {
    const { lease, told, outcome, back } = await claiming('b');
    lease.failed();
    expect(await soFar(outcome)).to.equal('unavailable');
    told.splice(0);
    back(5, 1);
    expect([told, lease.statement()]).to.eql([['say'], { key: 'k', held: 0 }]);
  });
});

describe('[WS-AUTH-12] a gateway that is asked', () => {
  const asks = { claim: { number: 3, upTo: 9 }, asks: true };
  const answers = [{ gatewayId: 'b', number: 3 }];

  it('gives back what it does not use, and says so once', async () => {
    const { lease, told, hear } = await holding();
    lease.statement();
    hear('b', 9, asks);
    expect([told, lease.statement()]).to.eql([['say'], { key: 'k', held: 1, answers }]);
    expect(lease.statement()).to.eql({ key: 'k', held: 1 });
  });

  it('answers at once where its own claim is later, or has not come back', async () => {
    for (const order of [9, undefined]) {
      const { lease, hear, back } = await claiming('b');
      if (order !== undefined) back(order);
      hear('b', 7, asks);
      expect(lease.statement()).to.deep.include({ answers });
    }
  });

  it('answers when its own claim is decided where that is earlier, by when it first came back', async () => {
    const { lease, outcome, hear, back, answer, terms } = await claiming('b');
    back(5);
    back(8);
    hear('b', 7, asks);
    expect(lease.statement()).to.not.have.property('answers');
    hear('b', 9, { ...asks, claim: { ...asks.claim, isRepeated: true }, answers: answer() });
    expect(await soFar(outcome)).to.equal('taken');
    // It keeps nothing in advance, as the other one asks for it.
    expect(lease.statement()).to.deep.include({ held: terms.used });
  });

  it('answers when its own claim is given up', async () => {
    const { lease, hear, back } = await claiming('b');
    back(5);
    hear('b', 7, asks);
    lease.failed();
    expect(lease.statement()).to.eql({ key: 'k', held: 0, answers });
  });
});

describe('[WS-AUTH-12] who wants a place', () => {
  it('is refused at once where all are used, or used up', () => {
    const { lease, terms, told } = world('b');
    [terms.used, terms.usedUp] = [60, 40];
    expect([lease.take(), told]).to.eql(['full', []]);
  });

  it('waits behind those who came earlier, although there is a place again', async () => {
    const { lease, terms } = await holding();
    terms.used = 25;
    const first = lease.take();
    expect(await soFar(first)).to.equal('waits');
    terms.used = 20;
    expect(await soFar(lease.take())).to.equal('waits');
    expect(terms.used).to.equal(20);
  });

  it('gets one without a claim where the limit is taken away meanwhile', async () => {
    const { lease, terms, told, known } = world('b');
    const outcome = lease.take();
    terms.most = null;
    known();
    expect(await soFar(outcome)).to.equal('taken');
    expect([told, terms.used]).to.eql([[], 1]);
  });

  it('waits for a while after a refusal before the others are asked again', async () => {
    const { lease, told, outcome, hear, back, answer } = await claiming('b');
    back(5);
    hear('b', 6, { held: 100, answers: answer() });
    expect(await soFar(outcome)).to.equal('full');
    told.splice(0);
    expect(await soFar(lease.take())).to.equal('waits');
    expect(told).to.eql([]);
  });
});

describe('a lease that is not used', () => {
  it('is given back after twenty beats, and forgotten where nothing of it is used', async () => {
    for (const [used, isForgotten] of [
      [1, false],
      [0, true],
    ] as const) {
      const { lease, terms, told } = await holding();
      terms.used = used;
      lease.statement();
      for (let beat = 1; beat < 20; beat++) expect(lease.beat()).to.equal(false);
      expect(told).to.eql([]);
      expect(lease.beat()).to.equal(isForgotten);
      expect([told, lease.statement()]).to.eql([['say'], { key: 'k', held: used }]);
      expect([lease.beat(), told]).to.eql([isForgotten, ['say']]);
    }
  });

  it('is one of which nothing was taken for twenty beats', async () => {
    const { lease, told } = await holding();
    for (let beat = 0; beat < 19; beat++) lease.beat();
    expect(lease.take()).to.equal('taken');
    for (let beat = 0; beat < 19; beat++) lease.beat();
    expect(told).to.eql([]);
  });

  it('is not one for which somebody waits', async () => {
    const { lease } = await claiming('b');
    for (let beat = 0; beat < 50; beat++) expect(lease.beat()).to.equal(false);
  });
});
