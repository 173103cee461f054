import { expect } from 'chai';
import fc from 'fast-check';
import { RoomwireError } from '../src/errors.js';
import type { Member } from '../src/subscriptions/members.js';
import { TopicSubscription } from '../src/subscriptions/topicSubscription.js';
import { ManualTime } from './support/manualTime.js';

const steps = ['join', 'leave', 'filter', 'answer', 'refuse', 'end', 'drop', 'connect', 'time out'] as const;
type Step = (typeof steps)[number];

/** A topic, its members, and a server that answers requests in order when it is told to. */
class World {
  readonly topic: TopicSubscription;
  readonly members: Member[] = [];
  readonly pending = new Set<Promise<unknown>>();
  readonly requests: string[] = [];
  readonly time = new ManualTime();
  online = true;
  held = false;
  unused = false;

  constructor() {
    this.topic = new TopicSubscription(
      'a/b/c',
      {},
      {
        schedule: this.time.schedule,
        requestMs: 1,
        isOnline: () => this.online,
        has: () => true,
        onGap: () => undefined,
        send: ({ type }) => this.requests.push(type),
        onLost: () => undefined,
        onUnused: () => (this.unused = true),
      },
    );
  }

  async take(step: Step): Promise<void> {
    if (step === 'join') this.join();
    else if (step === 'leave') this.track(this.leave());
    else if (step === 'filter') this.filter();
    else if (step === 'answer') this.answer();
    else if (step === 'end') this.end();
    else if (step === 'refuse') this.refuse();
    else if (step === 'drop') this.switchTo(false);
    else if (step === 'connect') this.switchTo(true);
    // A server that is late still acts, and its answer must do no harm.
    else if (this.time.pending.length > 0) await this.time.pass(1);
  }

  join(): void {
    this.unused = false;
    const member = this.topic.join(() => undefined, {});
    this.members.push(member);
    this.track(member.started.promise.catch(() => undefined));
  }

  leave(): Promise<void> {
    const member = this.members.shift();
    // As in the client: only who has been confirmed has something to leave with.
    if (member === undefined || !member.hasStarted) return Promise.resolve();
    return this.topic.leave(member);
  }

  filter(): void {
    if (this.topic.members.length > 0) this.track(this.topic.setFilters(['eu']).catch(() => undefined));
  }

  /** Rights end the subscription that the server has. */
  end(): void {
    if (!this.held) return;
    this.held = false;
    this.topic.ended(new RoomwireError('subscription_ended', { topic: 'a/b/c' }));
  }

  answer(): void {
    const request = this.requests.shift();
    if (request === undefined) return;
    if (request === 'setFilters') return this.answerFilters();
    this.held = request === 'subscribe';
    if (this.held)
      this.topic.subscribed({ type: 'subscribed', topic: 'a/b/c', position: undefined, gap: undefined });
    else this.topic.unsubscribed();
  }

  answerFilters(): void {
    if (this.held) this.topic.filtersUpdated();
    else this.topic.refused(new RoomwireError('not_subscribed', { topic: 'a/b/c' }));
  }

  refuse(): void {
    if (this.requests[0] !== 'subscribe') return this.answer();
    this.requests.shift();
    this.topic.refused(new RoomwireError('unknown_topic', { topic: 'a/b/c' }));
  }

  switchTo(online: boolean): void {
    if (this.online === online) return;
    this.online = online;
    this.held = false;
    this.requests.length = 0;
    if (online) this.topic.connected();
    else this.topic.disconnected();
  }

  async settle(): Promise<void> {
    this.switchTo(true);
    while (this.requests.length > 0) this.answer();
    await Promise.all(this.pending);
  }

  track(promise: Promise<unknown>): void {
    this.pending.add(promise);
  }
}

describe('TopicSubscription', () => {
  it('ends with the subscription that the members want, and with every promise settled', async () => {
    const sequences = fc.array(fc.constantFrom(...steps), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(sequences, async (sequence) => {
        const world = new World();
        for (const step of sequence) await world.take(step);
        await world.settle();
        const wanted = world.topic.members.length > 0;
        expect(world.held).to.equal(wanted);
        expect(world.time.pending, 'timers left').to.deep.equal([]);
        if (!wanted && world.members.length > 0) expect(world.unused).to.equal(true);
      }),
      { numRuns: 500 },
    );
  });

  it('never has two pending requests', async () => {
    const sequences = fc.array(fc.constantFrom(...steps.filter((step) => step !== 'time out')));
    await fc.assert(
      fc.asyncProperty(sequences, async (sequence) => {
        const world = new World();
        for (const step of sequence) {
          await world.take(step);
          expect(world.requests.length).to.be.at.most(1);
        }
      }),
      { numRuns: 300 },
    );
  });
});
