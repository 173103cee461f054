import { expect } from 'chai';
import fc from 'fast-check';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { liveMessage } from '@roomwire/testing/builders/liveMessage';
import { JobMember, type JobWishes } from '../../src/jobs/queue/job.js';
import { createJobCounts } from '../../src/jobs/queue/jobCounts.js';
import type { KnownJob } from '../../src/jobs/queue/jobLoading.js';
import { JobQueue } from '../../src/jobs/queue/jobQueue.js';
import type { JobWindow } from '../../src/jobs/queue/jobWindow.js';

interface StoredJob {
  readonly seq: number;
  readonly message: LiveMessage;
  deliveries: number;
  counted: number;
  dueAt: number;
}

/** What the store has answered, and the queue has not got yet. */
interface ReadPage {
  readonly known: readonly KnownJob[];
  readonly read: { readonly after: number; readonly to: number };
}

const everything: JobWishes = { filters: undefined, own: undefined };
const wishing = (filter: string | undefined): JobWishes => ({
  filters: filter === undefined ? undefined : [filter],
  own: undefined,
});
const roomy: JobWindow = { lowJobs: 10, jobs: 40, bytes: 1_000_000 };

/** A queue with a store that answers when it is told to. */
class Bench {
  readonly queue: JobQueue;
  readonly store = new Map<number, StoredJob>();
  readonly settled: number[] = [];
  readonly dead: number[] = [];
  /** By member, the jobs that it was handed and has not answered. */
  readonly held = new Map<JobMember, Set<number>>();
  readonly deliveries = new Map<number, number[]>();
  now = 0;
  private wanted: number[] = [];
  private dying: number[] = [];
  private unseen: number[] = [];
  private page: ReadPage | undefined;
  private seq = 0;

  constructor(options = { prefetch: 3, ackSeconds: 10, maxDeliveries: 3 }, window = roomy) {
    this.queue = new JobQueue(
      { options, lastSeq: 0 },
      { window, counts: createJobCounts(), now: () => this.now },
      {
        settled: ({ seq }) => this.settle(seq),
        changed: ({ seq, deliveries, counted }, delayMs) => {
          const stored = this.store.get(seq);
          if (stored) Object.assign(stored, { deliveries, counted, dueAt: delayMs && this.now + delayMs });
        },
        dying: ({ seq }) => void this.dying.push(seq),
        fetch: ({ seq }) => void this.wanted.push(seq),
        settleUnseen: (seq) => void this.unseen.push(seq),
      },
    );
  }

  publish(fields: Partial<LiveMessage> = {}): number {
    const seq = ++this.seq;
    const message = liveMessage({ id: `mi8k2x0a1${String(seq).padStart(4, '0')}.gateway`, ...fields });
    if (!this.queue.takes(message)) return seq;
    this.store.set(seq, { seq, message, deliveries: 0, counted: 0, dueAt: 0 });
    this.queue.add({ seq, message, bytes: message.body.length, addedAt: this.now });
    return seq;
  }

  join(actorTokenId: string, wishes = everything, isReady = true): JobMember {
    const held = new Set<number>();
    const member: JobMember = new JobMember(actorTokenId, wishes, {
      take: (seq, _message, delivery) => {
        held.add(seq);
        this.deliveries.set(seq, [...(this.deliveries.get(seq) ?? []), delivery]);
      },
      ended: () => undefined,
    });
    this.held.set(member, held);
    this.queue.join(member);
    if (isReady) this.queue.ready(member);
    return member;
  }

  leave(member: JobMember): void {
    this.held.delete(member);
    this.queue.leave(member);
  }

  ack(member: JobMember, seq: number): void {
    this.held.get(member)?.delete(seq);
    this.queue.settle(seq);
  }

  nack(member: JobMember, seq: number, delayMs = 0): void {
    this.held.get(member)?.delete(seq);
    this.queue.giveBack(member, seq, delayMs);
  }

  pass(milliseconds: number): void {
    this.now += milliseconds;
    this.queue.tick();
  }

  /** The store is asked for the next jobs, and answers later. */
  read(): void {
    const after = this.queue.loading.wantsBehind;
    if (this.page !== undefined || after === undefined) return;
    this.queue.loading.begin();
    const jobs = [...this.store.values()].filter(({ seq }) => seq > after).slice(0, 7);
    const known = jobs.map(({ dueAt, ...job }) => ({
      ...{ ...job, bytes: job.message.body.length, addedAt: 0 },
      delayMs: Math.max(0, dueAt - this.now),
    }));
    this.page = { known, read: { after, to: jobs.at(-1)?.seq ?? this.seq } };
  }

  /** The store answers what it was asked for. */
  answer(): void {
    this.load();
    for (const seq of this.wanted.splice(0)) this.queue.fetched(seq, this.store.get(seq)?.message);
    for (const seq of this.dying.splice(0)) {
      this.dead.push(seq);
      this.queue.buried(seq);
    }
    const unseen = this.unseen.splice(0);
    for (const seq of unseen) if (this.store.has(seq)) this.settle(seq);
    this.queue.sought(unseen);
    for (this.read(); this.page; this.read()) this.load();
  }

  /** Until nothing is asked for any more. */
  settleDown(): void {
    do this.answer();
    while (this.wanted.length + this.dying.length + this.unseen.length > 0);
  }

  /** The member does whatever it gets. */
  doAll(member: JobMember): void {
    for (let idle = 0; idle < 5; idle++) {
      this.pass(5_000);
      this.settleDown();
      if (member.jobs.size > 0) idle = 0;
      for (const { seq } of [...member.jobs]) this.ack(member, seq);
    }
  }

  holderOf(seq: number): JobMember | undefined {
    return [...this.held.keys()].find(({ jobs }) => [...jobs].some((job) => job.seq === seq));
  }

  private load(): void {
    if (this.page) this.queue.loading.load(this.page.known, this.page.read);
    this.page = undefined;
  }

  private settle(seq: number): void {
    this.settled.push(seq);
    this.store.delete(seq);
  }
}

describe('the queue of a group with jobs', () => {
  it('hands each job to the member with the fewest, the one that has waited longest first', () => {
    const bench = new Bench();
    const [ann, bob] = [bench.join('ann'), bench.join('bob')];
    for (let n = 0; n < 4; n++) bench.publish();
    expect([...(bench.held.get(ann) ?? [])]).to.deep.equal([1, 3]);
    expect([...(bench.held.get(bob) ?? [])]).to.deep.equal([2, 4]);
  });

  it('hands out no more than `prefetch`, and the oldest next', () => {
    const bench = new Bench();
    const ann = bench.join('ann');
    for (let n = 0; n < 5; n++) bench.publish();
    expect([...(bench.held.get(ann) ?? [])]).to.deep.equal([1, 2, 3]);
    bench.ack(ann, 2);
    expect([...(bench.held.get(ann) ?? [])]).to.deep.equal([1, 3, 4]);
  });

  it('divides what waits among members that become ready together, and goes on with the one that has least', () => {
    const bench = new Bench({ prefetch: 4, ackSeconds: 10, maxDeliveries: 3 });
    const [ann, bob, cid] = ['ann', 'bob', 'cid'].map((name) => bench.join(name, everything, false));
    for (let n = 0; n < 5; n++) bench.publish({ publisher: n === 1 ? 'bob' : 'somebody' });
    bench.queue.ready(ann as JobMember, bob as JobMember);
    expect([ann, bob].map((member) => [...(bench.held.get(member as JobMember) ?? [])])).to.deep.equal([
      [1, 2, 5],
      [3, 4],
    ]);
    bench.queue.ready(cid as JobMember);
    for (let n = 0; n < 3; n++) bench.publish();
    expect([...(bench.held.get(cid as JobMember) ?? [])]).to.deep.equal([6, 7]);
  });

  it('does not give a member what its own actor has published, nor what its filters leave out', () => {
    const bench = new Bench();
    const ann = bench.join('ann');
    const bob = bench.join('bob', { filters: ['eu'], own: undefined });
    bench.publish({ publisher: 'ann', filters: ['eu'] });
    bench.publish({ publisher: 'bob', filters: ['eu'] });
    bench.publish({ publisher: 'ann', filters: ['us'] });
    expect([...(bench.held.get(ann) ?? [])]).to.deep.equal([2]);
    expect([...(bench.held.get(bob) ?? [])]).to.deep.equal([1]);
    expect([...bench.store.keys()]).to.deep.equal([1, 2, 3]);
  });

  it('leaves what nobody may have in the store, and finds it again for a member that may', () => {
    const bench = new Bench();
    for (let n = 0; n < 30; n++) bench.publish({ filters: [n % 2 ? 'eu' : 'us'] });
    const ann = bench.join('ann', { filters: ['eu'], own: undefined });
    bench.settleDown();
    for (const seq of [2, 4, 6]) bench.ack(ann, seq);
    bench.settleDown();
    expect([...(bench.held.get(ann) ?? [])]).to.deep.equal([8, 10, 12]);
    const bob = bench.join('bob', { filters: ['us'], own: undefined });
    bench.settleDown();
    expect([...(bench.held.get(bob) ?? [])]).to.deep.equal([1, 3, 5]);
  });

  it('keeps what its only member publishes, for one of another actor or one that asks for its own', () => {
    const bench = new Bench();
    const ann = bench.join('ann');
    const seqs = [0, 1].map(() => bench.publish({ publisher: 'ann' }));
    bench.settleDown();
    expect([...(bench.held.get(ann) ?? [])]).to.deep.equal([]);
    const bob = bench.join('bob');
    bench.settleDown();
    expect([...(bench.held.get(bob) ?? [])]).to.deep.equal(seqs);
    bench.leave(bob);
    bench.settleDown();
    expect([...(bench.held.get(ann) ?? [])]).to.deep.equal([]);
    bench.queue.ask(ann, { filters: undefined, own: 'another connection' });
    bench.settleDown();
    expect([...(bench.held.get(ann) ?? [])]).to.deep.equal(seqs);
  });

  it('finds again what nobody could have while the store was being read', () => {
    const bench = new Bench({ prefetch: 1, ackSeconds: 10, maxDeliveries: 3 });
    const [, inFlight = 0, ready] = ['us', 'eu', 'eu'].map((filter) => bench.publish({ filters: [filter] }));
    const ann = bench.join('ann', wishing('eu'));
    bench.settleDown();
    bench.queue.ask(ann, everything);
    bench.read();
    bench.queue.ask(ann, wishing('us'));
    bench.queue.ask(ann, wishing('eu'));
    bench.settleDown();
    bench.ack(ann, inFlight);
    bench.settleDown();
    expect([...(bench.held.get(ann) ?? [])]).to.deep.equal([ready]);
  });

  it('takes back what is overdue, and lets it die after `maxDeliveries`', () => {
    const bench = new Bench();
    bench.join('ann');
    const seq = bench.publish();
    for (const deliveries of [[1], [1, 2], [1, 2, 3]]) {
      expect(bench.deliveries.get(seq)).to.deep.equal(deliveries);
      bench.pass(9_999);
      bench.settleDown();
      expect(bench.deliveries.get(seq)).to.deep.equal(deliveries);
      bench.pass(1);
      bench.settleDown();
    }
    expect(bench.dead).to.deep.equal([seq]);
    expect(bench.store.size).to.equal(0);
  });

  it('counts what ended with its member in the number of deliveries alone', () => {
    const bench = new Bench({ prefetch: 1, ackSeconds: 10, maxDeliveries: 1 });
    const seq = bench.publish();
    for (let n = 0; n < 5; n++) {
      const member = bench.join(`worker-${n}`);
      bench.settleDown();
      bench.leave(member);
    }
    bench.join('last');
    bench.settleDown();
    expect(bench.deliveries.get(seq)).to.deep.equal([1, 2, 3, 4, 5, 6]);
    expect(bench.store.get(seq)).to.include({ deliveries: 5, counted: 0 });
  });

  it('goes on where a former owner was: with what members have, and without what they have acknowledged', () => {
    const bench = new Bench();
    for (let n = 0; n < 6; n++) bench.publish();
    const ann = new JobMember('ann', everything, { take: () => undefined, ended: () => undefined });
    bench.held.set(ann, new Set());
    bench.queue.settle(1);
    bench.queue.join(ann);
    bench.queue.adopt(ann, [2, 4]);
    const bob = bench.join('bob');
    bench.settleDown();
    expect([...(bench.held.get(bob) ?? [])]).to.deep.equal([3, 5, 6]);
    bench.pass(10_000);
    bench.settleDown();
    expect(bench.store.get(2)).to.include({ counted: 1 });
    expect(bench.settled).to.deep.equal([1]);
  });

  it('loses nothing, and hands nothing to two members at once, whatever members do', () => {
    const action = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ kind: fc.constant('publish' as const), filter: fc.constantFrom('eu', 'us') }),
      },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('ack' as const), at: fc.nat(20) }) },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('nack' as const),
          at: fc.nat(20),
          delayMs: fc.constantFrom(0, 5_000),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('join' as const),
          filter: fc.constantFrom(undefined, 'eu'),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), at: fc.nat(20) }) },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(1_000, 10_000) }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('ask' as const),
          at: fc.nat(20),
          filter: fc.constantFrom(undefined, 'eu', 'us'),
        }),
      },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('read' as const) }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('answer' as const) }) },
    );
    fc.assert(
      fc.property(fc.array(action, { maxLength: 150 }), (actions) => {
        const bench = new Bench(
          { prefetch: 3, ackSeconds: 10, maxDeliveries: 3 },
          { lowJobs: 2, jobs: 5, bytes: 1_000 },
        );
        const published = new Set<number>();
        let joined = 0;
        const any = (at: number): [JobMember, number] | undefined => {
          const pairs = [...bench.held].flatMap(([member, seqs]) =>
            [...seqs].map((seq): [JobMember, number] => [member, seq]),
          );
          return pairs.at(at % Math.max(1, pairs.length));
        };
        for (const step of actions) {
          if (step.kind === 'publish') {
            const seq = bench.publish({ filters: [step.filter] });
            if (bench.store.has(seq) || bench.settled.includes(seq)) published.add(seq);
          } else if (step.kind === 'join') {
            bench.join(`worker-${joined++}`, wishing(step.filter));
          } else if (step.kind === 'leave') {
            const member = [...bench.held.keys()].at(step.at % Math.max(1, bench.held.size));
            if (member) bench.leave(member);
          } else if (step.kind === 'ack') {
            const [member, seq] = any(step.at) ?? [];
            if (member && seq !== undefined) bench.ack(member, seq);
          } else if (step.kind === 'nack') {
            const [member, seq] = any(step.at) ?? [];
            if (member && seq !== undefined) bench.nack(member, seq, step.delayMs);
          } else if (step.kind === 'ask') {
            const member = [...bench.held.keys()].at(step.at % Math.max(1, bench.held.size));
            if (member) bench.queue.ask(member, wishing(step.filter));
          } else if (step.kind === 'pass') bench.pass(step.ms);
          else if (step.kind === 'read') bench.read();
          else bench.answer();
          const inFlight = [...bench.held.keys()].flatMap(({ jobs }) => [...jobs].map(({ seq }) => seq));
          expect(new Set(inFlight).size).to.equal(inFlight.length);
          expect(inFlight.length).to.equal(bench.queue.inFlight);
          for (const { jobs } of bench.held.keys()) expect(jobs.size).to.be.at.most(3);
          for (const seq of inFlight) expect(bench.store.has(seq)).to.equal(true);
        }
        // One member does what it may have, and then everything.
        const [last = bench.join('last'), ...others] = bench.held.keys();
        for (const member of others) bench.leave(member);
        bench.doAll(last);
        expect(
          [...bench.store.values()].filter(({ message }) => last.selects(new Set(message.filters))),
        ).to.deep.equal([]);
        bench.queue.ask(last, everything);
        bench.doAll(last);
        expect(bench.store.size).to.equal(0);
        expect(new Set(bench.settled)).to.deep.equal(published);
        expect(bench.settled.length).to.equal(published.size);
      }),
      { numRuns: 1_000 },
    );
  });
});
