import { expect } from 'chai';
import { decode, encode } from '@msgpack/msgpack';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import type { WorkQueue } from '@roomwire/shared/wire/bus/channel';
import type { LostWork } from '@roomwire/shared/wire/bus/lostWork';
import type { WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import {
  decodeCallPayload,
  encodeCallPayload,
  encodeWorkPayload,
} from '@roomwire/shared/wire/webhooks/callPayload';
import { requestBody } from '@roomwire/shared/wire/webhooks/requestBody';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import { webhookCalls } from '@roomwire/shared/wire/bus/webhookCalls';
import { rejectionOf } from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { noPayloads } from '@roomwire/testing/fakes/noPayloads';
import { putRedrivenCalls } from '../src/feed.js';
import { event, feedWorld, redriven as redrivenNow } from './support/feedWorld.js';
import { newEvent } from './support/history.js';
import { writtenLog } from './support/writtenLog.js';

const hourMs = 3_600_000;
const notMade = ['error', 'A redriven call cannot be made'];

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

  it('are what they were, with the same id, and not attempted yet', async () => {
    const { deps, calls } = feedWorld(writtenLog());
    await putRedrivenCalls(deps, [event(1), redrivenNow('c', 2)]);
    expect(calls.map(({ data, ...call }) => ({ ...call, data: decode(data) }))).to.eql([
      {
        ...{ callId: 'c', kind: 'trigger', organizationId: 'o', projectId: 'p', appId: 'a' },
        ...{ url: 'https://example.com/hook', headers: [['X-Kind', 'chat']], room: 'redriven/c' },
        ...{ roomName: 'lobby', topicName: 'chat', actorId: 'ada', scope: null, data: { text: 'hi' } },
        ...{ origin: { by: 'redrive', redriveId: 'redrive of c' }, attempts: 0 },
      },
    ]);
  });

  it('[HOOK-BODY-3] have a body of version 2 where they had one, and are of nobody where a backend has published', async () => {
    const { deps, calls } = feedWorld(writtenLog());
    const message = { appSlug: 'desk', topic: 'desk/lobby/chat', id: 'order-7', at: 7, position: 'p1' };
    const sent = {
      ...{ roomName: 'lobby', topicName: 'chat', actorId: '', scope: null, roomId: 'r', message },
      ...{ callId: 'c', kind: 'trigger', appId: 'a', headers: [], data: encode({ text: 'hi' }) },
    } as unknown as WebhookCall;
    const get = async (view: 'deadLetters', id: string) => ({
      ...(await deps.views.get(view, id)),
      payload: decodeCallPayload(encodeCallPayload(sent)),
    });
    const views = { get } as unknown as ViewStore;
    await putRedrivenCalls({ ...deps, views }, [redrivenNow('c', 1)]);
    expect(calls[0]).to.deep.include({ actorId: '', roomId: 'r', message });
    expect(requestBody(calls[0] as WebhookCall)).to.equal(requestBody(sent));
  });

  it('go on with the trace of whoever asks for them', async () => {
    const { deps, calls } = feedWorld(writtenLog());
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const asked = redrivenNow('c', 1);
    await putRedrivenCalls(deps, [{ ...asked, metadata: { ...asked.metadata, traceparent } }]);
    expect(calls).to.have.length(1);
    expect(calls[0]).to.include({ traceparent });
  });

  it('are put where calls wait for their first attempt', async () => {
    const { deps } = feedWorld(writtenLog());
    let queue: unknown;
    const bus = { put: async (to: unknown) => void (queue = to) } as unknown as MessageBus;
    await putRedrivenCalls({ ...deps, bus }, [redrivenNow('c', 1)]);
    expect(queue).to.equal(webhookCalls);
  });

  describe('of other kinds', () => {
    const work: LostWork = {
      ...{ dlqId: 'd', kind: 'job', organizationId: 'o', projectId: 'p', appId: 'a', roomId: 'r' },
      ...{ room: 'p/a/_/lobby', roomName: 'lobby', topicName: 'chat', actorId: '', scope: null, group: 'g' },
      ...{ data: encode({ at: new Date(0) }), attempts: 5, rest: Uint8Array.of(1, 2) },
    };
    const call: WebhookCall = {
      ...{ callId: 'd', kind: 'event', organizationId: 'o', projectId: 'p', appId: 'a', roomId: 'r' },
      ...{ url: 'https://example.com/events', headers: [['X-Kind', 'event']], room: 'p/a/_/lobby' },
      ...{ roomName: 'lobby', topicName: '', actorId: '', scope: null, data: encode({ event: 'left' }) },
      ...{ origin: { by: 'roomEvent' }, sequence: 7, attempts: 3 },
    };
    const redrivenOf = async (kind: string, content: Uint8Array): Promise<unknown[]> => {
      const put: unknown[] = [];
      const { deps } = feedWorld(writtenLog());
      const entry = {
        dlqId: 'd',
        kind,
        payload: decodeCallPayload(content),
        createdAt: new Date(deps.clock.now()),
      };
      const views = {
        get: async () => ({ ...entry, createdAt: entry.createdAt.toISOString() }),
      } as unknown as ViewStore;
      const bus = {
        put: async (queue: WorkQueue<unknown>, job: unknown) => void put.push(queue.name, job),
      } as unknown as MessageBus;
      await putRedrivenCalls({ ...deps, views, bus }, [redrivenNow('d', 1)]);
      return put;
    };

    for (const [kind, queue] of [
      ['job', 'job-redrives'],
      ['schedule', 'schedule-redrives'],
    ] as const)
      it(`are put on the queue of their service, byte by byte as they were: ${kind}`, async () => {
        const put = await redrivenOf(kind, encodeWorkPayload({ ...work, kind }));
        expect(put).to.eql([queue, { redriveId: 'redrive of d', work: { ...work, kind } }]);
      });

    it('are put on the queue of room events, with the number that they had', async () => {
      const put = await redrivenOf(
        'event',
        encodeCallPayload({ ...call, retrySeconds: 60, firstAttemptAt: 1 }),
      );
      expect(put).to.eql([
        'event-redrives',
        {
          ...{ ...call, origin: { by: 'redrive', redriveId: 'redrive of d' }, attempts: 0 },
          ...{ retrySeconds: undefined, firstAttemptAt: undefined, waitsOnMs: undefined },
        },
      ]);
    });
  });

  for (const [what, entryOf] of [
    ['was deleted', () => undefined],
    ['has expired', (entry: object) => ({ ...entry, createdAt: new Date(0).toISOString() })],
  ] as const)
    it(`are not made, and that is said, where what was sent ${what}; others are`, async () => {
      const { deps, calls, lines } = feedWorld(writtenLog());
      const get = async (view: 'deadLetters', id: string) => {
        const entry = await deps.views.get(view, id);
        return id === 'gone' ? entryOf(entry as object) : entry;
      };
      const views = { get } as unknown as ViewStore;
      await putRedrivenCalls({ ...deps, views }, [redrivenNow('gone', 1), redrivenNow('kept', 2)]);
      expect(calls.map(({ callId }) => callId)).to.eql(['kept']);
      const message = 'A redriven webhook call is not made: it was deleted, or has expired';
      expect(lines).to.eql([{ level: 'warn', message, fields: { callId: 'gone' } }]);
    });

  it('that are too large for the bus do not hold up the others', async () => {
    const { deps, lines } = feedWorld(writtenLog());
    const put = async (_queue: unknown, { callId }: WebhookCall) => {
      if (callId === 'large') throw new RangeError('too large');
      made.push(callId);
    };
    const bus = { put } as unknown as MessageBus;
    await putRedrivenCalls({ ...deps, bus }, [redrivenNow('large', 1), redrivenNow('small', 2)]);
    expect(made).to.eql(['small']);
    expect(lines.map(({ level, message }) => [level, message])).to.eql([notMade]);
    expect(lines[0]?.fields).to.include({ eventId: redrivenNow('large', 1).id });
  });

  for (const kind of ['event', 'job', 'schedule', 'trigger'])
    it(`that another version has kept in its own way do not hold up the others: ${kind}`, async () => {
      const { deps, calls, lines } = feedWorld(writtenLog());
      const get = async (view: 'deadLetters', id: string) => {
        const usual = await deps.views.get(view, id);
        const payload = { requestBody: null, record: Buffer.from(encode({ v: 2 })).toString('base64') };
        return id === 'foreign' ? { ...usual, kind, payload } : usual;
      };
      const views = { get } as unknown as ViewStore;
      await putRedrivenCalls({ ...deps, views }, [redrivenNow('foreign', 1), redrivenNow('usual', 2)]);
      expect(calls.map(({ callId }) => callId)).to.eql(['usual']);
      expect(lines.map(({ level, message }) => [level, message])).to.eql([notMade]);
    });

  it('of a malformed event do not hold up the others', async () => {
    const { deps, calls, lines } = feedWorld(writtenLog());
    await putRedrivenCalls(deps, [{ ...redrivenNow('malformed', 1), data: null }, redrivenNow('usual', 2)]);
    expect(calls.map(({ callId }) => callId)).to.eql(['usual']);
    expect(lines.map(({ level, message }) => [level, message])).to.eql([notMade]);
  });

  it('fail with the bus', async () => {
    const { deps, lines } = feedWorld(writtenLog());
    const bus = { put: () => Promise.reject(new EngineUnavailable('message bus')) } as unknown as MessageBus;
    const failure = await rejectionOf(putRedrivenCalls({ ...deps, bus }, [redrivenNow('c', 1)]));
    expect(failure).to.be.instanceOf(EngineUnavailable);
    expect(lines).to.eql([]);
  });
});
