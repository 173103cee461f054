import { expect } from 'chai';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import type { WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { noPayloads } from '@roomwire/testing/fakes/noPayloads';
import { putRedrivenCalls } from '../src/feed.js';
import { newEvent } from './support/history.js';

const hourMs = 3_600_000;

describe('[HOOK-REDRIVE-1] the calls of redriven dead letters', () => {
  const clock = new ManualClock();
  let made: string[];

  const redriven = (dlqId: string, ageMs: number): RecordedEvent => {
    const event = newEvent(
      { type: 'DeadLetterRedriven', data: { dlqId, redriveId: 'r', redriveCount: 1, redrivenBy: 'ada' } },
      1,
    );
    const occurredAt = new Date(clock.now() - ageMs).toISOString();
    const metadata = { ...event.metadata, occurredAt };
    return { ...event, metadata, stream: 's', revision: 0, position: '0000000000000001' };
  };

  const deps = () => ({
    ...{ payloads: noPayloads, clock, logger: silentLogger },
    views: {
      get: async (_view: string, dlqId: string) => ({
        ...{ dlqId, kind: 'trigger', url: 'https://example.com' },
        createdAt: new Date(clock.now()).toISOString(),
        payload: { requestHeaders: {}, requestBody: { data: null } },
      }),
    } as unknown as ViewStore,
    bus: {
      put: async (_queue: unknown, { callId }: WebhookCall) => void made.push(callId),
    } as unknown as MessageBus,
  });

  beforeEach(() => void (made = []));

  it('are made up to an hour after they were asked for, and not when a rebuild reads old redrives', async () => {
    const asked = [redriven('old', 30 * 24 * hourMs), redriven('late', hourMs + 1), redriven('last', hourMs)];
    await putRedrivenCalls(deps(), [...asked, redriven('new', 0)]);
    expect(made).to.eql(['last', 'new']);
  });

  it('are stored when it resolves', async () => {
    let store: () => void = () => undefined;
    const stored = new Promise<void>((resolve) => (store = resolve));
    const waiting = { put: () => stored } as unknown as MessageBus;
    let isDone = false;
    const putting = putRedrivenCalls({ ...deps(), bus: waiting }, [redriven('new', 0)]);
    void putting.then(() => (isDone = true));
    await new Promise(setImmediate);
    expect(isDone).to.equal(false);
    store();
    await putting;
  });
});
