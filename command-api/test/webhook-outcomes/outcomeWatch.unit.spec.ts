import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { webhookOutcomes, type WebhookOutcome } from '@roomwire/shared/wire/bus/webhookOutcomes';
import { ChannelHub } from '@roomwire/shared/adapters/message-bus/channelHub';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { MessageBus, OnRecord } from '@roomwire/shared/ports/messageBus';
import type { Channel } from '@roomwire/shared/wire/bus/channel';
import { eventually } from '@roomwire/testing/run/eventually';
import { OutcomeWatch, type OutcomeWatchOptions } from '../../src/webhook-outcomes/outcomeWatch.js';

const all = () => true;
const failed = ({ outcome }: WebhookOutcome): boolean => outcome !== '2xx';

const start = 1_700_000_000_000;
const outcomeOf = (n: number, fields: Partial<WebhookOutcome> = {}): WebhookOutcome => ({
  ...{ at: start + n, organizationId: 'o', projectId: 'p', appId: 'a', kind: 'trigger' },
  ...{ webhookId: `call-${n}`, urlOrigin: 'https://example.com', attempt: 1, outcome: '2xx', next: 'done' },
  ...{ status: 200, durationMs: 1, requestBytes: 10, ...fields },
});

describe('[HOOK-WATCH-3] the outcomes of webhook calls, for clients that watch', () => {
  const watches: OutcomeWatch[] = [];
  let hub: ChannelHub<WebhookOutcome>;
  let readers = 0;

  beforeEach(() => {
    hub = new ChannelHub(webhookOutcomes, () => expect.fail('A reader failed'));
    readers = 0;
  });
  afterEach(() => Promise.all(watches.splice(0).map((watch) => watch.close())));

  /** The channel as the bus in process has it, and who reads it. */
  const bus: Pick<MessageBus, 'read'> = {
    async read<T>(_: Channel<T>, options: { interest: 'all' | 'subscribed' }, onRecord: OnRecord<T>) {
      const reader = hub.read(options, onRecord as OnRecord<unknown>);
      readers += 1;
      return { ...reader, close: () => ((readers -= 1), reader.close()) };
    },
  };
  const newWatch = (options: Partial<OutcomeWatchOptions> = {}, now = start): OutcomeWatch => {
    const clock = { now: () => now, monotonic: () => performance.now() };
    const waits = { waitMs: 20_000, gatherMs: 0, ...options };
    const watch = new OutcomeWatch({ openBus: async () => bus, clock, random: systemRandom, options: waits });
    watches.push(watch);
    return watch;
  };
  const idsOf = ({ outcomes }: { readonly outcomes: readonly WebhookOutcome[] }) =>
    outcomes.map(({ webhookId }) => webhookId);

  it('begin with the first request, which is answered at once', async () => {
    const watch = newWatch();
    hub.send(outcomeOf(1));
    const { outcomes, isGap } = await watch.next(all, undefined);
    expect({ outcomes, isGap }).to.eql({ outcomes: [], isGap: false });
  });

  it('are those since the cursor, each once, in order', async () => {
    const watch = newWatch({ most: 2 });
    let { cursor } = await watch.next(all, undefined);
    for (const n of [1, 2, 3, 4, 5]) hub.send(outcomeOf(n));
    const seen: string[][] = [];
    for (let question = 0; question < 3; question += 1) {
      const answer = await watch.next(all, cursor);
      ({ cursor } = answer);
      seen.push(idsOf(answer));
    }
    expect(seen).to.eql([['call-1', 'call-2'], ['call-3', 'call-4'], ['call-5']]);
  });

  it('end the wait only where they match', async () => {
    const watch = newWatch();
    const { cursor } = await watch.next(failed, undefined);
    const asked = watch.next(failed, cursor);
    await pause(1);
    hub.send(outcomeOf(1));
    await pause(5);
    hub.send(outcomeOf(2, { outcome: '5xx' }));
    expect(idsOf(await asked)).to.eql(['call-2']);
  });

  it('are collected for a moment', async () => {
    const watch = newWatch({ gatherMs: 30 });
    const { cursor } = await watch.next(all, undefined);
    const asked = watch.next(all, cursor);
    await new Promise(setImmediate);
    hub.send(outcomeOf(1));
    await pause(3);
    hub.send(outcomeOf(2));
    expect(idsOf(await asked)).to.eql(['call-1', 'call-2']);
  });

  it('are waited for until the time-out', async () => {
    const watch = newWatch({ waitMs: 20 });
    const { cursor } = await watch.next(all, undefined);
    const answer = await watch.next(all, cursor);
    expect(answer.outcomes).to.eql([]);
    hub.send(outcomeOf(1));
    expect(idsOf(await watch.next(all, answer.cursor))).to.eql(['call-1']);
  });

  it('are the newest where there were too many, and the answer reports the gap', async () => {
    const watch = newWatch({ kept: 3 });
    const { cursor } = await watch.next(all, undefined);
    for (const n of [1, 2, 3, 4, 5]) hub.send(outcomeOf(n));
    const answer = await watch.next(all, cursor);
    expect(idsOf(answer)).to.eql(['call-3', 'call-4', 'call-5']);
    expect(answer.isGap).to.equal(true);
    expect((await watch.next(all, { ...answer.cursor, number: 4 })).isGap).to.equal(false);
    // At once, although none of those that are left fits.
    const none = await watch.next(failed, cursor);
    expect(none).to.deep.include({ outcomes: [], isGap: true });
  });

  it('continue by the time where another process answers', async () => {
    const [one, other] = [newWatch({}, start + 10_000), newWatch({}, start + 10_000)];
    await other.next(all, undefined);
    const { cursor } = await one.next(all, undefined);
    hub.send(outcomeOf(7_999));
    hub.send(outcomeOf(8_000));
    hub.send(outcomeOf(10_001));
    expect(idsOf(await other.next(all, cursor))).to.eql(['call-8000', 'call-10001']);
  });

  it('are read only while clients ask', async () => {
    const watch = newWatch({ idleMs: 40 });
    const { cursor } = await watch.next(all, undefined);
    expect(readers).to.equal(1);
    await eventually(() => readers === 0, { what: 'the reader to go' });
    const again = await watch.next(all, cursor);
    expect(readers).to.equal(1);
    expect(again.cursor.reading).to.not.equal(cursor.reading);
  });

  it('are no longer waited for when the process ends', async () => {
    const watch = newWatch();
    const { cursor } = await watch.next(all, undefined);
    const asked = watch.next(all, cursor);
    await new Promise(setImmediate);
    await watch.close();
    expect((await asked).outcomes).to.eql([]);
    expect(readers).to.equal(0);
  });

  it('are unavailable without a bus, or while it is unreachable', async () => {
    const clock = { now: () => start, monotonic: () => 0 };
    const never = () => new Promise<never>(() => undefined);
    for (const openBus of [undefined, never]) {
      const watch = new OutcomeWatch({ openBus, clock, random: systemRandom, options: { openMs: 10 } });
      watches.push(watch);
      const failure: unknown = await watch.next(all, undefined).catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(EngineUnavailable);
    }
  });

  it('are available again after the bus was unreachable', async () => {
    let isAway = true;
    const openBus = async () => {
      if (isAway) throw new EngineUnavailable('message bus');
      return bus;
    };
    const watch = new OutcomeWatch({
      openBus,
      clock: { now: () => 1, monotonic: () => 0 },
      random: systemRandom,
    });
    watches.push(watch);
    expect(await watch.next(all, undefined).catch((error: unknown) => error)).to.be.instanceOf(
      EngineUnavailable,
    );
    isAway = false;
    expect((await watch.next(all, undefined)).outcomes).to.eql([]);
  });
});
