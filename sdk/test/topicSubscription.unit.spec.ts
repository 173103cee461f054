import { expect } from 'chai';
import fc from 'fast-check';
import { RoomwireError } from '../src/errors.js';
import type { Member } from '../src/subscriptions/members.js';
import { TopicSubscription } from '../src/subscriptions/topicSubscription.js';
import { ManualTime } from './support/manualTime.js';

const steps = [
  'join',
  'leave',
  'filter',
  'answer',
  'refuse',
  'fail',
  'end',
  'drop',
  'connect',
  'time out',
] as const;
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
        random: () => 0,
        isOnline: () => this.online,
        mayAsk: () => true,
        onAnswered: () => undefined,
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
    else if (step === 'refuse') this.refuse('unknown_topic');
    else if (step === 'fail') this.refuse('broker_unavailable');
    else if (step === 'drop') this.switchTo(false);
    else if (step === 'connect') this.switchTo(true);
    // A server that is late still acts, and its answer must do no harm.
    else await this.passTime();
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

  refuse(error: string): void {
    if (this.requests[0] !== 'subscribe') return this.answer();
    this.requests.shift();
    this.topic.refused(new RoomwireError(error, { topic: 'a/b/c' }));
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
    do while (this.requests.length > 0) this.answer();
    while (await this.passTime());
    await Promise.all(this.pending);
  }

  /** Whether there was anything to wait for. */
  async passTime(): Promise<boolean> {
    const [delayMs] = this.time.pending;
    if (delayMs !== undefined) await this.time.pass(delayMs);
    return delayMs !== undefined;
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
      { numRuns: 500, examples: [[['join', 'filter', 'answer', 'end', 'join', 'time out']]] },
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
