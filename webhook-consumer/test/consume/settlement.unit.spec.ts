import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { webhookAnswers, type WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import { webhookReports } from '@roomwire/shared/wire/bus/webhookReports';
import type { EventEnd } from '@roomwire/shared/wire/bus/eventEnds';
import { hydrationBody } from '@roomwire/shared/wire/protocol/encodeFrames';
import { maxFrameBytes } from '@roomwire/shared/wire/protocol/limits';
import { createRecordingLogger, silentLogger as logger } from '@roomwire/testing/fakes/loggers';
import { createSettlement, type Settlement } from '../../src/consume/settlement.js';
import { createMetrics, type WebhookMetrics } from '../../src/metrics.js';

const call: WebhookCall = {
  ...{ callId: 'call', kind: 'trigger', organizationId: 'o1', projectId: 'p1', appId: 'app1' },
  ...{ url: 'https://example.com/hook', headers: [], room: 'p1/app-1/_/lobby', roomName: 'lobby' },
  ...{ topicName: 'news', actorId: 'actor-1', scope: null, data: Uint8Array.of(0xc0) },
  ...{ origin: { by: 'publish' }, attempts: 3 },
};
const redriven: WebhookCall = { ...call, origin: { by: 'redrive', redriveId: 'r' } };
const hydration: WebhookCall = {
  ...{ ...call, kind: 'hydration' },
  origin: { by: 'subscribe', gatewayId: 'g', subscription: 1 },
};
const event: WebhookCall = {
  ...{ ...call, kind: 'event', callId: 'event', roomId: 'room', sequence: 7 },
  origin: { by: 'roomEvent' },
};
const following = [{ callId: 'next', sequence: 8, data: Uint8Array.of(0x80) }];
const answered = (status: number) => ({ kind: 'answered', status, body: Buffer.from('{}') }) as const;

/** What has to be stored before a call is settled. */
const endings: Readonly<Record<string, (settlement: Settlement) => Promise<void>>> = {
  'the report of a failure': ({ settle }) =>
    settle(call, answered(500), { to: 'deadLetter', status: 'pending' }),
  'the report of a redrive that was delivered': ({ settle }) =>
    settle(redriven, answered(200), { to: 'done' }),
  'the report of a call that is turned away': ({ turnAway }) =>
    turnAway(call, 'webhookBacklogCalls', 'backlog_full'),
  'the end of a room event': ({ ended }) => ended(event),
  'the answer to a hydration': ({ settle }) => settle(hydration, answered(200), { to: 'done' }),
};

describe('the settlement of a call', () => {
  let metrics: WebhookMetrics;
  let stored: PromiseWithResolvers;
  let settlement: Settlement;

  beforeEach(() => {
    metrics = createMetrics();
    stored = promiseWithResolvers();
    const store = () => stored.promise;
    const bus = { put: store, send: store } as unknown as MessageBus;
    settlement = createSettlement({ bus, metrics, logger, settleEvents: store });
  });

  for (const [what, end] of Object.entries(endings)) {
    it(`is over when ${what} is stored`, async () => {
      let isOver = false;
      const ending = end(settlement).then(() => void (isOver = true));
      await new Promise(setImmediate);
      expect([isOver, metrics.deadLetters]).to.eql([false, 0]);
      stored.resolve();
      await ending;
    });

    it(`fails where ${what} cannot be stored, so that the call is handled again`, async () => {
      const unavailable = new EngineUnavailable('message bus');
      stored.reject(unavailable);
      expect(await end(settlement).catch((error: unknown) => error)).to.equal(unavailable);
      expect(metrics.deadLetters).to.equal(0);
    });
  }
});

/** What is stored and said of a call. */
describe('the settlement of', () => {
  const world = ({ withLimits = true } = {}) => {
    const put: (readonly [unknown, unknown])[] = [];
    const sent: (readonly [unknown, unknown, string])[] = [];
    const reached: (readonly unknown[])[] = [];
    const bus = {
      put: async (queue: unknown, job: unknown) => void put.push([queue, job]),
      send: async (...args: readonly [unknown, unknown, string]) => void sent.push(args),
    } as unknown as MessageBus;
    const metrics = createMetrics();
    const { logger, lines } = createRecordingLogger();
    const ends: EventEnd[] = [];
    const settleEvents = async (end: EventEnd) => void ends.push(end);
    const limits = {
      reached: (...args: readonly unknown[]) => void reached.push(args),
    } as unknown as LimitReports;
    const settlement = createSettlement({
      bus,
      metrics,
      logger,
      settleEvents,
      ...(withLimits && { limits }),
    });
    return { put, sent, reached, metrics, lines, ends, settlement };
  };
  const ids = { callId: 'call', projectId: 'p1', appId: 'app1', topicName: 'news', attempts: 3 };

  describe('a trigger', () => {
    it('that was delivered leaves nothing', async () => {
      const { put, metrics, lines, settlement } = world();
      await settlement.settle(call, answered(200), { to: 'done' });
      expect([put, metrics, lines]).to.eql([[], createMetrics(), []]);
    });

    it('that was redriven and delivered is reported', async () => {
      const { put, metrics, lines, settlement } = world();
      await settlement.settle(redriven, answered(200), { to: 'done' });
      expect(put).to.eql([[webhookReports, { outcome: 'delivered', call: redriven, responseStatus: 200 }]]);
      expect([metrics, lines]).to.eql([createMetrics(), []]);
    });

    for (const [result, status, responseStatus, error] of [
      [answered(503), 'pending', 503, 'The endpoint answered 503'],
      [answered(404), 'failed', 404, 'The endpoint answered 404'],
      [{ kind: 'unreachable', isTimeout: false, reason: 'ECONNRESET' }, 'pending', null, 'ECONNRESET'],
      [{ kind: 'forbidden', reason: 'Its address is private' }, 'failed', null, 'Its address is private'],
    ] as const)
      it(`that failed is reported as ${status}, counted and logged: ${error}`, async () => {
        for (const failed of [call, redriven]) {
          const { put, metrics, lines, settlement } = world();
          await settlement.settle(failed, result, { to: 'deadLetter', status });
          expect(put).to.eql([
            [webhookReports, { outcome: 'failed', call: failed, responseStatus, error, status }],
          ]);
          expect(metrics).to.eql({ ...createMetrics(), deadLetters: 1 });
          const fields = { ...ids, responseStatus, reason: error };
          expect(lines).to.eql([{ level: 'warn', message: 'A webhook call failed', fields }]);
        }
      });

    it('[HOOK-BACKLOG-1] that may not wait is reported and counted, and its limit was reached', async () => {
      const { put, metrics, reached, settlement } = world();
      await settlement.turnAway(call, 'webhookBacklogCalls', 'backlog_full');
      const failure = { responseStatus: null, error: 'backlog_full', status: 'pending' };
      expect(put).to.eql([[webhookReports, { outcome: 'failed', call, ...failure }]]);
      expect(metrics).to.eql({ ...createMetrics(), deadLetters: 1 });
      expect(reached).to.eql([['webhookBacklogCalls', { organizationId: 'o1', projectId: 'p1' }]]);
    });
  });

  describe('[HOOK-EVENT-6] a room event', () => {
    it('is told as its end, apart from what is reported of it', async () => {
      const { put, ends, settlement } = world();
      await settlement.settle(event, answered(410), { to: 'deadLetter', status: 'failed' });
      expect([put.length, ends]).to.eql([1, []]);
      await settlement.ended(event);
      expect([put.length, ends]).to.eql([1, [{ roomId: 'room', accessScopeId: null, sequence: 7 }]]);
    });

    it('is no end where others follow, and becomes a dead letter without them', async () => {
      const { put, ends, settlement } = world();
      await settlement.settle({ ...event, following }, answered(410), { to: 'deadLetter', status: 'failed' });
      await settlement.ended({ ...event, following });
      expect(ends).to.eql([]);
      expect(put).to.have.length(1);
      expect((put[0]?.[1] as { call: WebhookCall }).call.following).to.equal(undefined);
    });

    it('that is redriven is reported, and is no end', async () => {
      const { put, ends, settlement } = world();
      const again = { ...event, origin: redriven.origin };
      await settlement.settle(again, answered(200), { to: 'done' });
      await settlement.ended(again);
      expect([put.length, ends]).to.eql([1, []]);
    });
  });

  describe('a hydration', () => {
    const settled = async (body: string | Uint8Array | undefined, of = hydration, status = 200) => {
      const made = world();
      const result = {
        kind: 'answered',
        status,
        body: body === undefined ? body : Buffer.from(body),
      } as const;
      await made.settlement.settle(of, result, { to: 'done' });
      return made;
    };
    const failedWith = (reason: string) => [
      { level: 'warn', message: 'A hydration call failed', fields: { ...ids, reason } },
    ];

    it('[HOOK-HYDRATE-3] is its answer, for the gateway that asked', async () => {
      for (const status of [200, 299]) {
        const { put, sent, metrics, lines } = await settled('{ "online": 3 }', hydration, status);
        const body = hydrationBody('news', { online: 3 });
        expect(sent).to.eql([[webhookAnswers, { gatewayId: 'g', subscription: 1, body }, 'stored']]);
        expect([put, metrics, lines]).to.eql([[], createMetrics(), []]);
      }
    });

    for (const [what, body, reason] of [
      ['is not JSON', 'online', 'The answer is not JSON'],
      ['is not UTF-8', Uint8Array.of(0x22, 0xff, 0x22), 'The answer is not JSON'],
      ['is empty', '', 'The answer is not JSON'],
      ['was too large to be kept', undefined, 'The answer is too large'],
      ['is larger than a frame', `"${'x'.repeat(maxFrameBytes)}"`, 'The answer does not fit into a frame'],
      ['holds half of a surrogate pair', String.raw`"\ud800"`, 'The answer does not fit into a frame'],
    ] as const)
      it(`[HOOK-HYDRATE-4] leaves nothing where the answer ${what}, and that is said`, async () => {
        const { put, sent, metrics, lines } = await settled(body);
        expect([put, sent]).to.eql([[], []]);
        expect(metrics).to.eql({ ...createMetrics(), hydrationsDropped: 1 });
        expect(lines).to.eql(failedWith(reason));
      });

    it('[HOOK-HYDRATE-4] leaves nothing where there is no 2xx', async () => {
      for (const status of [300, 404, 503]) {
        const { put, sent, metrics, lines } = await settled('{}', hydration, status);
        expect([put, sent, metrics.hydrationsDropped]).to.eql([[], [], 1]);
        expect(lines).to.eql(failedWith(`The endpoint answered ${status}`));
      }
      const { settlement, sent, lines } = world();
      const unreachable = { kind: 'unreachable', isTimeout: true, reason: 'No answer within 30 s' } as const;
      await settlement.settle(hydration, unreachable, { to: 'deadLetter', status: 'pending' });
      expect([sent, lines]).to.eql([[], failedWith('No answer within 30 s')]);
    });

    it('is nothing where nobody has subscribed', async () => {
      const { sent, lines } = await settled('{}', { ...hydration, origin: { by: 'publish' } });
      expect([sent, lines]).to.eql([[], failedWith('No client waits for the answer')]);
    });

    it('[HOOK-BACKLOG-1] that may not wait is counted, and its limit was reached', async () => {
      const { put, metrics, reached, settlement } = world();
      await settlement.turnAway(hydration, 'webhookBacklogBytes', 'backlog_full');
      expect(put).to.eql([]);
      expect(metrics).to.eql({ ...createMetrics(), hydrationsDropped: 1 });
      expect(reached).to.eql([['webhookBacklogBytes', { organizationId: 'o1', projectId: 'p1' }]]);
    });
  });

  it('a call that may not wait needs nobody who reports limits', async () => {
    const { put, settlement } = world({ withLimits: false });
    await settlement.turnAway(call, 'webhookBacklogCalls', 'backlog_full');
    expect(put).to.have.length(1);
  });
});

interface PromiseWithResolvers {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

const promiseWithResolvers = (): PromiseWithResolvers => {
  let resolve: () => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<void>((onStored, onFailure) => ([resolve, reject] = [onStored, onFailure]));
  // Whoever does not wait for it is to be found by what the test expects.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
};
