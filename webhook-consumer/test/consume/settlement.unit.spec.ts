import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import { silentLogger as logger } from '@roomwire/testing/fakes/loggers';
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
const answered = (status: number) => ({ kind: 'answered', status, body: Buffer.from('{}') }) as const;

/** What has to be stored before a call is settled. */
const endings: Readonly<Record<string, (settlement: Settlement) => Promise<void>>> = {
  'the report of a failure': ({ settle }) =>
    settle(call, answered(500), { to: 'deadLetter', status: 'pending' }),
  'the report of a redrive that was delivered': ({ settle }) =>
    settle(redriven, answered(200), { to: 'done' }),
  'the report of a call that is turned away': ({ turnAway }) => turnAway(call, 'webhookBacklogCalls'),
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
    settlement = createSettlement({ bus, metrics, logger });
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
