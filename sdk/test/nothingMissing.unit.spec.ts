import { expect } from 'chai';
import fc from 'fast-check';
import type { Gap, SubscribeOptions } from '../src/index.js';
import type { ServerFrame } from '../src/protocol/frames.js';
import { Subscriptions } from '../src/subscriptions/subscriptions.js';
import { topic } from './support/harness.js';
import { positionOf, RecordedTopic } from './support/recordedTopic.js';

const steps = ['publish', 'publish filtered', 'arrive', 'arrive all', 'drop', 'connect', 'expire'] as const;
type Step = (typeof steps)[number];

/** A subscriber on a connection that comes and goes. */
class World {
  readonly server = new RecordedTopic(5);
  readonly seen: number[] = [];
  readonly gaps: Gap[] = [];
  /** Every message behind this one is the subscriber's. */
  begin: number | undefined;
  private isOnline = true;
  private readonly client = new Subscriptions({
    schedule: () => () => undefined,
    random: () => 0,
    requestMs: 1,
    isOnline: () => this.isOnline,
    has: () => true,
    send: (frame) => this.server.receive(frame),
    onError: (error) => expect.fail(error.message),
  });

  subscribe(options: SubscribeOptions): void {
    const onGap = (gap: Gap): void => void this.gaps.push(gap);
    void this.client.add(topic, ({ data }) => void this.seen.push(data as number), { ...options, onGap });
  }

  take(step: Step): void {
    if (step === 'publish') this.server.publish(true);
    else if (step === 'publish filtered') this.server.publish(false);
    else if (step === 'arrive') this.arrive();
    else if (step === 'arrive all') while (this.arrive());
    else if (step === 'expire') this.server.expire();
    else this.switchTo(step === 'connect');
  }

  settle(): void {
    this.switchTo(true);
    while (this.arrive());
  }

  /** Messages that came neither, nor are in a gap. */
  missing(): number[] {
    const since = this.seen[0] ?? this.begin ?? Infinity;
    return this.server.record.flatMap((isVisible, index) => {
      const place = index + 1;
      const isDue = isVisible && place > since && !this.seen.includes(place);
      return isDue && !this.gaps.some((gap) => covers(gap, positionOf(place))) ? [place] : [];
    });
  }

  private switchTo(online: boolean): void {
    if (this.isOnline === online) return;
    this.isOnline = online;
    this.server.disconnect();
    if (online) this.client.connected([]);
    else this.client.disconnected();
  }

  private arrive(): boolean {
    const frame = this.server.take();
    if (frame !== undefined) this.hand(frame);
    return frame !== undefined;
  }

  private hand(frame: ServerFrame): void {
    if (frame.type === 'subscribed') {
      this.begin ??= frame.position === '' ? 0 : Number(frame.position?.slice(1));
      this.client.subscribed(frame);
    } else if (frame.type === 'replayStart') this.client.replayStarted(frame);
    else if (frame.type === 'replayEnd') this.client.replayEnded(frame);
    else if (frame.type === 'message') this.client.deliver(frame);
  }
}

const covers = ({ after = '', before = '~' }: Gap, position: string): boolean =>
  position > after && position < before;

describe('a subscription with resume', () => {
  for (const options of [
    { resume: true },
    { resume: true, rewind: 3 },
    { resume: true, rewind: { since: 0 } },
    { resume: { position: '' } },
  ] as const)
    it(`misses nothing without saying so, and gets nothing twice or out of order: ${JSON.stringify(options)}`, () => {
      const sequences = fc.array(fc.constantFrom(...steps), { maxLength: 40 });
      fc.assert(
        fc.property(sequences, sequences, (before, sequence) => {
          const world = new World();
          for (const step of before) if (step.startsWith('publish')) world.take(step);
          world.subscribe(options);
          for (const step of sequence) world.take(step);
          world.settle();
          const inOrder = [...new Set(world.seen)].sort((one, other) => one - other);
          expect(world.seen).to.deep.equal(inOrder);
          expect(world.missing()).to.deep.equal([]);
        }),
        { numRuns: 1_000 },
      );
    });

  it('says nothing where nothing is missing', () => {
    const sequences = fc.array(fc.constantFrom<Step>('publish', 'publish filtered', 'arrive', 'arrive all'));
    fc.assert(
      fc.property(sequences, sequences, (before, after) => {
        const world = new World();
        world.subscribe({ resume: true, rewind: 3 });
        for (const step of before) world.take(step);
        for (const step of ['arrive all', 'drop', 'connect'] as const) world.take(step);
        for (const step of after) world.take(step);
        world.settle();
        expect(world.gaps).to.deep.equal([]);
      }),
      { numRuns: 300 },
    );
  });
});
