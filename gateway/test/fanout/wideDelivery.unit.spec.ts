import type { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { expect } from 'chai';
import { liveMessage } from '@roomwire/testing/builders/liveMessage';
import type { Client } from '../../src/access/client.js';
import type { TopicAccess } from '../../src/access/topicAccess.js';
import { Audiences } from '../../src/fanout/audience.js';
import { createDelivery } from '../../src/fanout/deliverFromBus.js';
import { LineMemory } from '../../src/fanout/lineMemory.js';
import { Subscriber, type Wishes } from '../../src/fanout/subscriber.js';
import type { WideBounds } from '../../src/fanout/wideDelivery.js';
import { createMetrics } from '../../src/metrics.js';

const turn = () => new Promise(setImmediate);

const access = { room: 'project/app/_/room', topic: 'project/app/_/room/news' } as unknown as TopicAccess;
const everything: Wishes = { filters: undefined, meta: false, own: false };

/** A subscription that changes as those of clients do. */
class Listener extends Subscriber {
  readonly got: number[];
  private heldBack: number[] = [];
  private isListed = false;
  private readonly audiences: Audiences;

  constructor(name: string, audiences: Audiences) {
    const got: number[] = [];
    const push = (frame: Buffer): void => void got.push(frame.at(-1) as number);
    const identity = { actorTokenId: name, projectId: 'project' };
    const outbox = { push, pushLater: push, waitingBytes: 0, isOpen: true };
    super({ identity, outbox, connection: name } as unknown as Client, access, everything);
    this.got = got;
    this.audiences = audiences;
  }

  subscribe(wishes: Wishes): void {
    this.changed(() => (this.wishes = wishes));
    if (!this.isListed) this.audiences.add(this);
    this.isListed = true;
  }

  unsubscribe(): void {
    if (!this.isListed) return;
    this.audiences.remove(this);
    this.isListed = false;
    this.held = undefined;
    this.heldBack = [];
  }

  hold(): void {
    if (this.held !== undefined) return;
    const take = (frame: Buffer): void => void this.heldBack.push(frame.at(-1) as number);
    this.changed(() => (this.held = { isForReplay: true, take }));
  }

  letGo(): void {
    this.got.push(...this.heldBack.splice(0));
    this.changed(() => (this.held = undefined));
  }

  private changed(change: () => void): void {
    if (this.isListed) this.audiences.remove(this);
    change();
    if (this.isListed) this.audiences.add(this);
  }
}

const names = ['ann', 'ben', 'cem', 'dot', 'eve', 'fay'];

/** The local subscribers of a room. */
class Hall {
  readonly metrics = createMetrics();
  readonly audiences = new Audiences();
  readonly listeners = names.map((name) => new Listener(name, this.audiences));
  readonly lines = new LineMemory({ reached: () => undefined });
  private readonly deliver: ReturnType<typeof createDelivery>;
  private published = 0;

  constructor(bounds: WideBounds) {
    this.deliver = createDelivery({
      ...{ audiences: this.audiences, metrics: this.metrics, lines: this.lines, bounds },
      retained: { passed: () => undefined } as never,
      groups: { take: () => undefined },
      jobs: { take: () => undefined, passed: () => undefined },
      places: { of: () => undefined },
      replayed: { isSecondCopy: () => false },
    });
  }

  publish(by: number, filters: readonly string[]) {
    this.published += 1;
    const publisher = names[by] ?? 'backend';
    const id = `0mjuoi9kd0001.${publisher}~${this.published}`;
    return this.deliver(liveMessage({ id, publisher, filters, body: Uint8Array.of(this.published) }), 0);
  }

  async untilIdle(): Promise<void> {
    while (this.lines.bytes > 0) await turn();
  }
}

type Act = (hall: Hall) => void;

const who = fc.nat(names.length - 1);
const filters = fc.subarray(['a', 'b', 'c']);
const wishes: fc.Arbitrary<Wishes> = fc.record({
  filters: fc.option(fc.subarray(['a', 'b', 'c'], { minLength: 1 }), { nil: undefined }),
  meta: fc.constant(false),
  own: fc.boolean(),
});
const listener = (hall: Hall, at: number): Listener => hall.listeners[at] as Listener;

const acts: fc.Arbitrary<Act | 'turn'> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(fc.nat(names.length), filters).map(
      ([by, on]): Act =>
        (hall) =>
          void hall.publish(by, on),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(who, wishes).map(
      ([at, asked]): Act =>
        (hall) =>
          listener(hall, at).subscribe(asked),
    ),
  },
  {
    weight: 1,
    arbitrary: who.map(
      (at): Act =>
        (hall) =>
          listener(hall, at).unsubscribe(),
    ),
  },
  {
    weight: 1,
    arbitrary: who.map(
      (at): Act =>
        (hall) =>
          listener(hall, at).hold(),
    ),
  },
  {
    weight: 1,
    arbitrary: who.map(
      (at): Act =>
        (hall) =>
          listener(hall, at).letGo(),
    ),
  },
  { weight: 4, arbitrary: fc.constant('turn' as const) },
);

describe('messages for very many subscribers', () => {
  it('[WS-PUB-3] [WS-SUB-2] reach everybody as if they had been delivered at once, whatever changes meanwhile', async () => {
    const run = async (steps: readonly (Act | 'turn')[]): Promise<void> => {
      const atOnce = new Hall({ atOnce: Infinity });
      const inSlices = new Hall({ atOnce: 1, stepsInATurn: 2 });
      for (const hall of [atOnce, inSlices]) for (const one of hall.listeners) one.subscribe(everything);
      for (const step of steps) {
        if (step === 'turn') await turn();
        else for (const hall of [atOnce, inSlices]) step(hall);
      }
      await inSlices.untilIdle();
      for (const hall of [atOnce, inSlices]) for (const one of hall.listeners) one.letGo();
      expect(inSlices.listeners.map(({ got }) => got)).to.deep.equal(atOnce.listeners.map(({ got }) => got));
      expect(inSlices.metrics.deliveries).to.equal(atOnce.metrics.deliveries);
    };
    await fc.assert(fc.asyncProperty(fc.array(acts, { minLength: 5, maxLength: 60 }), run), {
      ...{ seed: 20262, numRuns: 500 },
    });
  });

  it('[WS-UNSUB-1] are there before whoever unsubscribes, or whose connection ends, meanwhile', () => {
    const hall = new Hall({ atOnce: 1, stepsInATurn: 2 });
    const [ann, ben] = hall.listeners as [Listener, Listener];
    for (const one of hall.listeners) one.subscribe(everything);
    void hall.publish(-1, []);
    expect(ann.got).to.deep.equal([]);
    ann.unsubscribe();
    expect(ann.got).to.deep.equal([1]);
    hall.audiences.catchUp(ben);
    expect(ben.got).to.deep.equal([1]);
  });

  it('are counted when all have them', async () => {
    const hall = new Hall({ atOnce: 1, stepsInATurn: 2 });
    for (const one of hall.listeners) one.subscribe(everything);
    (hall.listeners[0] as Listener).hold();
    expect(await hall.publish(1, [])).to.equal(names.length - 1);
    expect(hall.metrics.deliveries).to.equal(names.length - 1);
  });

  it('wait only where there are too many', () => {
    const hall = new Hall({ atOnce: names.length });
    for (const one of hall.listeners) one.subscribe(everything);
    expect(hall.publish(-1, [])).to.equal(names.length);
    for (const { got } of hall.listeners) expect(got).to.deep.equal([1]);
  });
});
