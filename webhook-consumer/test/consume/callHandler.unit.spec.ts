import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import type { WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { createCallHandler, type CallDeps, type CallHandler } from '../../src/consume/callHandler.js';
import { createSettlement } from '../../src/consume/settlement.js';
import { CallWaits } from '../../src/consume/waits.js';
import { BacklogQuota } from '../../src/isolation/backlogQuota.js';
import { createMetrics } from '../../src/metrics.js';
import { defaultOptions } from '../../src/options.js';

const call: WebhookCall = {
  ...{ callId: 'call', kind: 'trigger', organizationId: 'o1', projectId: 'p1', appId: 'app1' },
  ...{ url: 'https://example.com/hook', headers: [], room: 'p1/app-1/_/lobby', roomName: 'lobby' },
  ...{ topicName: 'news', actorId: 'actor-1', scope: null, data: Uint8Array.of(0xc0) },
  ...{ origin: { by: 'publish' }, attempts: 0 },
};

describe('the handler of calls', () => {
  let store: () => void;
  let isFull: boolean;
  let isOverLimit: boolean;
  let isOpen: boolean;
  let deps: CallDeps;
  let handler: CallHandler;

  beforeEach(() => {
    [isFull, isOverLimit, isOpen] = [false, false, false];
    const stored = new Promise<void>((resolve) => (store = resolve));
    const later = () => stored;
    const permit = { endpointClass: 'steady', done: () => undefined };
    deps = {
      bus: { put: later } as unknown as MessageBus,
      gate: { inFlight: 0, enter: async () => (isFull ? undefined : permit) },
      quota: {
        limitFor: () => (isOverLimit ? 'webhookBacklogCalls' : undefined),
        putOff: (deferred: WebhookCall) => deferred,
        taken: () => undefined,
        left: () => undefined,
      },
      post: async () => ({
        result: { kind: 'answered', status: 500, body: undefined },
        ...{ endedAt: 0, durationMs: 1, requestBytes: 1 },
      }),
      parkedQuota: {
        limitFor: () => undefined,
        putOff: (parked: WebhookCall) => parked,
        taken: () => undefined,
        left: () => undefined,
      },
      circuits: {
        isOpen: () => isOpen,
        mayTry: () => false,
        notTried: () => undefined,
        ended: () => undefined,
      },
      clock: { now: () => 1_000 },
      parkedMs: 100,
      parkedPacer: { pass: async () => undefined },
      settlement: { settle: later, turnAway: later, giveUp: later, ended: later },
      publishOutcome: () => undefined,
      pacer: { pass: async () => undefined },
      ...{ metrics: createMetrics(), tracing: undefined, waits: new CallWaits(defaultOptions) },
      isClosing: () => false,
    } as unknown as CallDeps;
    handler = createCallHandler(deps);
  });

  const begun: Readonly<Record<string, () => Promise<void>>> = {
    'its next attempt': () => handler.handleNew(call),
    'its end': () => handler.handleNew({ ...call, attempts: 2 }),
    'its place in the backlog': () => {
      isFull = true;
      return handler.handleNew(call);
    },
    'its next place in the backlog': () => {
      isFull = true;
      return handler.handleDeferred(call);
    },
    'its place among those that wait for their endpoint': () => {
      isOpen = true;
      return handler.handleNew(call);
    },
    'its next place among them': () => {
      isOpen = true;
      return handler.handleParked(call);
    },
    'its end, after it has waited for its endpoint for too long': () => {
      isOpen = true;
      return handler.handleParked({ ...call, parkedAt: 900 });
    },
    'its refusal by the backlog': () => {
      [isFull, isOverLimit] = [true, true];
      return handler.handleNew(call);
    },
  };

  for (const [what, begin] of Object.entries(begun))
    it(`has not handled a call before ${what} is stored`, async () => {
      let isHandled = false;
      const handling = begin().then(() => void (isHandled = true));
      await new Promise(setImmediate);
      expect(isHandled).to.equal(false);
      store();
      await handling;
    });

  it('[HOOK-BACKLOG-1] gives the place of a call in the backlog up when it is tried', async () => {
    const limits = { maxBacklogCalls: 2, maxBacklogBytes: 1e9 };
    const clock = { now: () => 0, monotonic: () => 0 };
    const quota = new BacklogQuota({ limits, clock, random: systemRandom });
    const [stored, turnedAway]: [WebhookCall[], WebhookCall[]] = [[], []];
    const bus = {
      put: async (_queue: unknown, job: WebhookCall) => void stored.push(job),
    } as unknown as MessageBus;
    const settlement = {
      ...deps.settlement,
      turnAway: async (away: WebhookCall) => void turnedAway.push(away),
      ended: async () => undefined,
    };
    handler = createCallHandler({ ...deps, bus, quota, settlement });
    isFull = true;
    quota.taken(call);
    await handler.handleNew({ ...call, callId: 'first' });
    await handler.handleNew(call);
    isFull = false;
    await handler.handleDeferred(stored.pop() as WebhookCall);
    const tried = stored.pop() as WebhookCall;
    isFull = true;
    await handler.handleNew({ ...call, callId: 'last' });
    await handler.handleWaiting(tried);
    expect(turnedAway.map(({ callId }) => callId)).to.eql(['call']);
  });

  it('[HOOK-CIRCUIT-1] counts no call that could not be signed', async () => {
    let ended = 0;
    const post = async () => ({
      result: { kind: 'unreachable', isTimeout: false, reason: 'no key' } as const,
      ...{ endedAt: 0, durationMs: 1, requestBytes: 0 },
    });
    const circuits = { ...deps.circuits, ended: () => void (ended += 1) };
    store();
    await createCallHandler({ ...deps, post, circuits }).handleNew(call);
    expect(ended).to.equal(0);
  });

  it('[HOOK-CIRCUIT-2] leaves the trial of an endpoint to the next call where it finds no place', async () => {
    let trials = 1;
    const circuits = {
      ...deps.circuits,
      mayTry: () => (trials -= 1) >= 0,
      notTried: () => void (trials = 1),
    };
    [isOpen, isFull] = [true, true];
    handler = createCallHandler({ ...deps, circuits });
    store();
    await handler.handleParked(call);
    isFull = false;
    await handler.handleParked(call);
    expect([deps.metrics.trials, deps.metrics.parked]).to.eql([1, 1]);
  });

  it('[HOOK-EVENT-6] reports a room event that failed once, however often its end cannot be stored', async () => {
    const event: WebhookCall = {
      ...{ ...call, kind: 'event', roomId: 'room', sequence: 7, attempts: 2 },
      origin: { by: 'roomEvent' },
    };
    const reports: unknown[] = [];
    let tries = 0;
    const { metrics } = deps;
    const bus = {
      put: async (_queue: unknown, report: unknown) => void reports.push(report),
    } as unknown as MessageBus;
    const settleEvents = async () => {
      if (++tries <= 3) throw new EngineUnavailable('room events');
    };
    const settlement = createSettlement({ bus, metrics, logger: silentLogger, settleEvents });
    await createCallHandler({ ...deps, bus, settlement }).handleNew(event);
    expect([tries, reports.length, metrics.deadLetters]).to.eql([4, 1, 1]);
  });

  it('[HOOK-BACKLOG-1] reports a limit once, however often what it has turned away cannot be stored', async () => {
    let tries = 0;
    const bus = {
      put: async () => {
        if (++tries <= 2) throw new EngineUnavailable('message bus');
      },
    } as unknown as MessageBus;
    const limits = { reached: 0 };
    const settlement = createSettlement({
      ...{ bus, metrics: deps.metrics, logger: silentLogger, settleEvents: async () => undefined },
      limits: { reached: () => void (limits.reached += 1) } as unknown as LimitReports,
    });
    [isFull, isOverLimit] = [true, true];
    await createCallHandler({ ...deps, bus, settlement }).handleNew(call);
    expect([tries, limits.reached]).to.eql([3, 1]);
  });
});
