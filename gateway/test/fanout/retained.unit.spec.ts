import fc from 'fast-check';
import { expect } from 'chai';
import type { RetainedMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { liveMessage } from '@roomwire/testing/builders/liveMessage';
import { eventually } from '@roomwire/testing/run/eventually';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import type { Client } from '../../src/access/client.js';
import type { TopicAccess } from '../../src/access/topicAccess.js';
import { Audiences } from '../../src/fanout/audience.js';
import { LineMemory } from '../../src/fanout/lineMemory.js';
import { Subscriber } from '../../src/fanout/subscriber.js';
import { createDelivery } from '../../src/fanout/deliverFromBus.js';
import { Retained } from '../../src/fanout/retained.js';
import { RetainedValues, RetainStamps } from '../../src/fanout/retainedValues.js';
import type { WideBounds } from '../../src/fanout/wideDelivery.js';
import { createMetrics } from '../../src/metrics.js';

const topic = 'project/app/_/room/news';

const message = (number: number, fields: Partial<RetainedMessage> = {}): RetainedMessage => ({
  ...liveMessage({ id: `message-${number}`, topic, publisher: 'publisher', body: Uint8Array.of(number) }),
  retention: { stamp: String(number).padStart(4, '0'), appId: 'app', roomId: 'room', accessScopeId: null },
  ...fields,
});

/** A gateway's retained values and audiences, without sockets and without a bus. */
class Stage {
  readonly audiences = new Audiences();
  readonly metrics = createMetrics();
  readonly retained: Retained;
  readonly live: (message: RetainedMessage) => void;

  constructor(graceMs: number, bounds?: WideBounds) {
    const { audiences, metrics } = this;
    const stamps = new RetainStamps(new ManualClock(), 'gateway');
    this.retained = new Retained({
      ...{ audiences, metrics, stamps, graceMs },
      budgetBytes: 1_000_000,
      limits: { reached: () => undefined },
    });
    const deliver = createDelivery({
      ...this,
      groups: { take: () => undefined },
      jobs: { take: () => undefined, passed: () => undefined },
      places: { of: () => undefined },
      replayed: { isSecondCopy: () => false },
      lines: new LineMemory({ reached: () => undefined }),
      ...(bounds && { bounds }),
    });
    this.live = (message) => void deliver(message, 0);
  }

  /** What a subscriber that joins now gets. */
  async join(address = topic): Promise<readonly number[]> {
    const got: number[] = [];
    const push = (frame: Uint8Array) => got.push(frame.at(-1) as number);
    const outbox = { push, pushLater: push };
    const client = { identity: { actorTokenId: 'reader', accessScope: null }, outbox };
    const location = { app: { value: { appId: 'app' } }, room: { value: { roomId: 'room' } } };
    const access = { room: 'project/app/_/room', topic: address, location };
    const subscriber = new Subscriber(client as unknown as Client, access as unknown as TopicAccess, {
      filters: undefined,
      meta: false,
      own: false,
    });
    this.audiences.add(subscriber);
    this.retained.sendLast(subscriber);
    return got;
  }
}

describe('retained values', () => {
  const inAnyOrder = async (numRuns: number, bounds?: WideBounds): Promise<void> => {
    const step = fc.constantFrom('stored', 'live', 'join');
    const run = async (steps: readonly string[], count: number): Promise<void> => {
      const stage = new Stage(1, bounds);
      const next = { stored: 1, live: 1 };
      const readers: (readonly number[])[] = [];
      // What has not happened by then happens at the end.
      const rest = Array<string[]>(count).fill(['live', 'stored']).flat();
      for (const what of [...steps, ...rest, 'join']) {
        if (what === 'join') readers.push(await stage.join());
        else if (next[what as 'stored'] <= count) {
          const sent = message(next[what as 'stored']++);
          if (what === 'stored') stage.retained.stored(sent);
          // A gateway without subscribers in a room gets no live messages of it.
          else if (readers.length > 0) stage.live(sent);
        }
      }
      await eventually(() => readers.every((got) => got.includes(count)), { what: 'the newest value' });
      stage.retained.close();
      for (const got of readers) expect([...new Set(got)].sort()).to.deep.equal(got);
      expect(await stage.join()).to.deep.equal([count]);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), fc.integer({ min: 1, max: 4 }), run),
      {
        seed: 20262,
        numRuns,
      },
    );
  };

  it('[WS-RETAIN-3] reach every new subscriber, each once and the newest last, whatever the lag between the two channels', () =>
    inAnyOrder(300));

  it('[WS-RETAIN-3] and likewise in a room that is too large to be given a message at once', () =>
    inAnyOrder(100, { atOnce: 0, stepsInATurn: 2 }));

  describe('of a publish that was made again, since nobody knew whether it was sent', () => {
    const id = '0mjuoi9kd0001.gateway.connection~order-7';
    const { retention } = message(1);
    const first = message(1, { id });
    const again = message(1, { id, retention: { ...retention, stamp: '0002' } });
    const marker = message(3, { topic: `${topic}/other` });

    /** Whoever has the marker has also had what was overdue before. */
    const overdue = async (stage: Stage): Promise<void> => {
      const got = await stage.join(marker.topic);
      stage.retained.stored(marker);
      await eventually(() => got.includes(3), { what: 'the marker' });
      stage.retained.close();
    };

    it('[WS-ONCE-4] do not bring the second copy back as overdue', async () => {
      const stage = new Stage(1);
      const got = await stage.join();
      for (const copy of [first, again]) {
        stage.retained.stored(copy);
        stage.live(copy);
      }
      await overdue(stage);
      expect(got).to.eql([1]);
    });

    it('[WS-ONCE-4] nor one that was stored and not sent', async () => {
      const stage = new Stage(1);
      const got = await stage.join();
      stage.retained.stored(first);
      stage.live(first);
      stage.retained.stored(again);
      await overdue(stage);
      expect(got).to.eql([1]);
    });

    it('[WS-RETAIN-3] do not follow the last value that a subscriber has joined with', async () => {
      const stage = new Stage(1);
      stage.retained.stored(first);
      const got = await stage.join();
      stage.retained.stored(again);
      stage.live(again);
      await overdue(stage);
      expect(got).to.eql([1]);
    });
  });

  it('[WS-RETAIN-3] an older one never replaces a newer one, on neither channel', async () => {
    const stage = new Stage(60_000);
    const keeper = await stage.join();
    stage.live(message(2));
    stage.retained.stored(message(1));
    stage.live(message(1));
    expect(keeper).to.deep.equal([2, 1]);
    expect(await stage.join()).to.deep.equal([2]);
    stage.retained.close();
  });

  it('[WS-RETAIN-4] the least recently used are evicted', () => {
    const values = new RetainedValues(4_000);
    const of = (name: string) => message(1, { topic: name, body: new Uint8Array(300) });
    for (const name of ['first', 'second', 'third']) values.keep(of(name));
    expect(values.get('first')).to.include({ publisher: 'publisher' });
    values.keep(of('fourth'));
    expect(values.get('second')).to.equal(undefined);
    for (const name of ['first', 'third', 'fourth']) expect(values.get(name)).to.not.equal(undefined);
    expect(values.dropped).to.equal(1);
    values.keep(message(2, { topic: 'huge', body: new Uint8Array(4_000) }));
    expect(values.get('huge')).to.equal(undefined);
    expect(values.dropped).to.equal(5);
    values.keep(of('again'));
    expect(values.get('again')).to.not.equal(undefined);
  });

  it('[WS-RETAIN-4] of a project survive a flood of another one, which loses its own', () => {
    const values = new RetainedValues(100_000);
    const of = (projectId: string, topicName: string) =>
      message(1, { projectId, topic: topicName, body: new Uint8Array(1_000) });
    for (let n = 0; n < 10; n++) values.keep(of('quiet', `quiet/${n}`));
    for (let n = 0; n < 1_000; n++) values.keep(of('loud', `loud/${n}`));
    for (let n = 0; n < 10; n++) expect(values.get(`quiet/${n}`), `quiet/${n}`).to.not.equal(undefined);
    expect(values.get('loud/0')).to.equal(undefined);
    expect(values.get('loud/999')).to.not.equal(undefined);
    expect(values.bytes).to.be.within(90_000, 100_000);
    values.removeWhere(({ projectId }) => projectId === 'loud');
    expect(values.size).to.equal(10);
    values.removeWhere(() => true);
    expect(values.bytes).to.equal(0);
  });

  it('[WS-RETAIN-4] that are removed or replaced free their memory', () => {
    const values = new RetainedValues(2_000);
    for (let n = 1; n < 50; n++) values.keep(message(n));
    for (let n = 1; n < 50; n++) {
      values.keep(message(n, { topic: 'other', retention: { ...message(n).retention, roomId: 'gone' } }));
      values.removeWhere(({ roomId }) => roomId === 'gone');
    }
    expect(values.dropped).to.equal(0);
    expect(values.get(topic)).to.include({ stamp: '0049' });
  });

  it('[WS-RETAIN-4] do not keep the block in memory that their bytes arrived in', () => {
    const values = new RetainedValues(1_000_000);
    const block = new Uint8Array(100_000);
    values.keep(message(1, { body: block.subarray(10, 20) }));
    expect(values.get(topic)?.frame.buffer.byteLength).to.be.below(100);
  });

  const gone: Record<string, (retained: Retained) => void> = {
    room: (retained) => retained.roomDeleted('room'),
    app: (retained) => retained.appDeleted('app'),
    project: (retained) => retained.projectDeleted('project'),
  };
  for (const [what, deleted] of Object.entries(gone)) {
    it(`[WS-RETAIN-5] are removed with their ${what}`, async () => {
      const stage = new Stage(60_000);
      stage.retained.stored(message(1));
      deleted(stage.retained);
      expect(await stage.join()).to.deep.equal([]);
      stage.retained.close();
    });
  }

  it('[WS-HIST-13] are deleted with the history of their topic, also where they arrive after the deletion', async () => {
    const stage = new Stage(60_000);
    const at = Date.UTC(2026, 0, 1);
    const accepted = (number: number, time: number) =>
      message(number, { id: `${time.toString(36).padStart(9, '0')}0000.gateway` });
    stage.retained.stored(accepted(1, at));
    const of = { room: 'project/app/_/room', roomId: 'room', accessScopeId: null };
    stage.retained.topicDeleted({ ...of, topic: 'news', upTo: '' }, at);
    expect(await stage.join()).to.eql([]);
    stage.retained.stored(accepted(2, at));
    expect(await stage.join()).to.eql([]);
    stage.retained.stored(accepted(3, at + 1));
    expect(await stage.join()).to.eql([3]);
    stage.retained.close();
  });

  it('[WS-HIST-1] are deleted where the history of their topic is switched off', async () => {
    const stage = new Stage(60_000);
    const at = Date.UTC(2026, 0, 1);
    const idAt = (time: number) => `${time.toString(36).padStart(9, '0')}0000.gateway`;
    const kept = { appId: 'app', roomId: 'room', accessScopeId: null, seconds: 60, messages: 10 };
    stage.retained.stored(message(1, { id: idAt(at) }));
    stage.retained.topicsConfigured('app', {}, at);
    expect(await stage.join()).to.eql([1]);
    stage.retained.stored(message(2, { id: idAt(at + 1), kept }));
    stage.retained.topicsConfigured('app', {}, at + 1);
    expect(await stage.join()).to.eql([]);
    stage.retained.close();
  });
});

describe('the stamps of retained messages', () => {
  it('[WS-RETAIN-3] increase, also when the clock is set back', () => {
    const clock = new ManualClock();
    const stamps = new RetainStamps(clock, 'a');
    const made = [stamps.next(), stamps.next()];
    clock.set(clock.now() + -86_400_000);
    made.push(stamps.next());
    clock.set(clock.now() + 2 * 86_400_000);
    made.push(stamps.next());
    expect([...new Set(made)].sort()).to.deep.equal(made);
  });

  it('[WS-RETAIN-3] are later than all that were seen of other gateways, and differ from theirs', () => {
    const [behind, ahead] = [new ManualClock(), new ManualClock()];
    ahead.set(ahead.now() + 60_000);
    const [mine, theirs] = [new RetainStamps(behind, 'a'), new RetainStamps(ahead, 'b')];
    const seen = theirs.next();
    mine.seen(seen);
    expect(mine.next() > seen).to.equal(true);
    expect(new RetainStamps(ahead, 'a').next()).to.not.equal(new RetainStamps(ahead, 'b').next());
  });
});
