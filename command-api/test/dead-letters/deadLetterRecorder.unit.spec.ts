import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openEmbeddedMessageBus } from '@roomwire/shared/adapters/message-bus/embeddedMessageBus';
import { openEmbeddedPayloadStore } from '@roomwire/shared/adapters/payload-store/embeddedPayloadStore';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { PayloadStore } from '@roomwire/shared/ports/payloadStore';
import { LimitReports } from '@roomwire/shared/runtime/limitReports';
import type { Service } from '@roomwire/shared/runtime/service';
import { type WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import {
  formerWebhookReports,
  type WebhookReport,
  webhookReports,
} from '@roomwire/shared/wire/bus/webhookReports';
import { type LostWork, lostWorkRecord } from '@roomwire/shared/wire/bus/lostWork';
import { decodeCallPayload, payloadHash } from '@roomwire/shared/wire/webhooks/callPayload';
import { silentLogger as logger } from '@roomwire/testing/fakes/loggers';
import { collectedMetrics } from '@roomwire/testing/run/collectedMetrics';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import {
  createDeadLetterRecorder,
  type DeadLetterRecorderDeps,
} from '../../src/dead-letters/deadLetterRecorder.js';
import { deadLetterTarget } from '../../src/dead-letters/decider.js';
import { executeAsSystem } from '../../src/handling/streamWriter.js';

const data = (length: number): Uint8Array =>
  Uint8Array.of(0xda, length >> 8, length & 255, ...Buffer.alloc(length, 'x'));

const call: WebhookCall = {
  callId: 'call',
  kind: 'trigger',
  organizationId: 'o1',
  projectId: 'p1',
  appId: 'app1',
  url: 'https://example.com/hook',
  headers: [['X-Key', 'secret']],
  room: 'p1/app-1/_/lobby',
  roomName: 'lobby',
  roomId: 'room1',
  topicName: 'news',
  actorId: 'actor-1',
  scope: { accessScopeId: 'scope1', slug: 's', name: 'S' },
  data: Uint8Array.of(0xc0),
  origin: { by: 'publish' },
  attempts: 3,
};

const failureOf = (callId: string, fields: Partial<WebhookCall> = {}): WebhookReport => ({
  outcome: 'failed',
  call: { ...call, callId, ...fields },
  responseStatus: 500,
  error: 'The endpoint answered 500',
  status: 'pending',
});

const work: LostWork = {
  dlqId: 'work',
  kind: 'job',
  organizationId: 'o1',
  projectId: 'p1',
  appId: 'app1',
  roomId: 'room1',
  room: 'p1/app-1/_/lobby',
  roomName: 'lobby',
  topicName: 'thumbnails',
  actorId: '',
  scope: null,
  // { image: 7 }
  data: Uint8Array.of(0x81, 0xa5, ...Buffer.from('image'), 7),
  group: 'workers',
  attempts: 5,
  rest: Uint8Array.of(1, 2, 3),
};

describe('[HOOK-DLQ-2] the recorder of dead letters', () => {
  const quotaBytes = 1024 * 1024;
  let folder: TemporaryFolder;
  let bus: MessageBus;
  let log: EventLog;
  let payloads: PayloadStore;
  let gone: Set<string>;
  /** As many as the read models have. */
  let entries: number;
  let recorder: Service | undefined;
  const limits = new LimitReports({ clock: systemClock, logger });
  const views = {
    get: async (_view: string, id: string) => (gone.has(id) ? undefined : {}),
    count: async () => entries,
    reached: async () => true,
  } as unknown as DeadLetterRecorderDeps['views'];

  beforeEach(async () => {
    gone = new Set();
    entries = 0;
    folder = await temporaryFolder();
    const files = {
      file: (name: string) => join(folder.path, name),
      path: folder.path,
      close: async () => undefined,
    };
    [bus, log] = [await openEmbeddedMessageBus(files), await openEmbeddedEventLog(files)];
    payloads = await openEmbeddedPayloadStore(files, { retentionMs: 86_400_000, quotaBytes });
  });

  afterEach(async () => {
    await recorder?.close();
    await bus.close();
    await Promise.all([log.close(), payloads.close()]);
    await folder.remove();
  });

  const start = async (deps: Partial<DeadLetterRecorderDeps> = {}): Promise<Service> => {
    const ports = { bus, log, views, payloads, random: systemRandom, clock: systemClock, logger, limits };
    recorder = createDeadLetterRecorder({ ...ports, ...deps });
    await recorder.start();
    return recorder;
  };

  const recorded = async (): Promise<RecordedEvent[]> => {
    const found: RecordedEvent[] = [];
    for await (const events of log.readAll())
      found.push(...events.filter(({ type }) => type === 'DeadLetterRecorded'));
    return found;
  };

  const recordedIds = async (): Promise<unknown[]> =>
    (await recorded()).map((event) => (event.data as { dlqId: string }).dlqId);

  /** A report that is handled after those before it. */
  const settled = async (): Promise<void> => {
    await bus.put(webhookReports, failureOf('marker'));
    await eventually(async () => (await recordedIds()).includes('marker'));
  };

  it('takes reports from the queue, and those that an earlier version left in the queue of that time', async () => {
    await bus.put(formerWebhookReports, failureOf('former'));
    await bus.put(webhookReports, failureOf('new'));
    await start();
    await eventually(async () => (await recorded()).length === 2);
    expect(await recordedIds()).to.have.members(['former', 'new']);
  });

  it('[HOOK-DLQ-3] writes the id and the hash of the payload into the log, and the payload elsewhere', async () => {
    await start();
    await bus.put(webhookReports, failureOf('call'));
    await eventually(async () => (await recorded()).length === 1);
    const content = (await payloads.get('call')) as Uint8Array;
    expect(JSON.parse(String(content))).to.eql({
      requestHeaders: { 'X-Key': 'secret' },
      requestBody: {
        roomName: 'lobby',
        topicName: 'news',
        actorId: 'actor-1',
        data: null,
        scope: call.scope,
      },
    });
    const [event] = await recorded();
    expect(event?.schemaVersion).to.equal(3);
    expect(event?.data).to.deep.include({ payload: { id: 'call', sha256: payloadHash(content) } });
    expect(JSON.stringify(event)).not.to.match(/secret|lobby/);
  });

  it('[HOOK-DLQ-1] records a job and a scheduled publish as a trigger would have sent them, and how to do them again', async () => {
    await start();
    const lost = { outcome: 'lost', error: 'max_deliveries', status: 'pending' } as const;
    const later = { dlqId: 'later', kind: 'schedule', scheduledId: 's1', attempts: 0 } as const;
    const schedule: LostWork = { ...work, ...later, group: undefined };
    await bus.put(webhookReports, { ...lost, work });
    await bus.put(webhookReports, { ...lost, work: schedule });
    await bus.put(webhookReports, { ...lost, work });
    await eventually(async () => (await recorded()).length === 2);
    const shared = {
      ...{ organizationId: 'o1', projectId: 'p1', appId: 'app1', url: null, responseStatus: null },
      ...{ error: 'max_deliveries', status: 'pending', payload: undefined },
    };
    const entries = (await recorded()).map(({ data }) => ({ ...(data as object), payload: undefined }));
    expect(entries).to.have.deep.members([
      { ...shared, dlqId: 'work', kind: 'job', group: 'workers', retryCount: 4 },
      { ...shared, dlqId: 'later', kind: 'schedule', scheduledId: 's1', retryCount: 0 },
    ]);
    const content = decodeCallPayload((await payloads.get('work')) as Uint8Array);
    expect(content.requestBody).to.eql({
      ...{ roomName: 'lobby', topicName: 'thumbnails', actorId: null, data: { image: 7 }, scope: null },
    });
    expect(lostWorkRecord.codec.decode(Buffer.from(content.record ?? '', 'base64'))).to.deep.include({
      ...{ dlqId: 'work', group: 'workers' },
    });
  });

  it('[HOOK-DLQ-1] records a room event with its sequence', async () => {
    await start();
    const body = { sequence: 7 };
    await bus.put(
      webhookReports,
      failureOf('event', {
        ...{
          kind: 'event',
          sequence: 7,
          data: Uint8Array.of(0x81, 0xa8, ...Buffer.from('sequence'), 7),
          origin: { by: 'roomEvent' },
        },
      }),
    );
    await eventually(async () => (await recorded()).length === 1);
    const [event] = await recorded();
    expect(event?.data).to.include({ kind: 'event', sequence: 7, url: call.url, retryCount: 2 });
    const { requestBody, requestHeaders } = decodeCallPayload((await payloads.get('event')) as Uint8Array);
    expect({ requestBody, requestHeaders }).to.eql({
      requestBody: body,
      requestHeaders: { 'X-Key': 'secret' },
    });
  });

  it('[HOOK-REDRIVE-1] removes work that is done or waits again, and says what became of other work', async () => {
    await start();
    const types = async (): Promise<string[]> => {
      const found: string[] = [];
      for await (const events of log.readAll()) found.push(...events.map(({ type }) => type));
      return found;
    };
    await bus.put(webhookReports, { outcome: 'lost', error: 'group_full', status: 'pending', work });
    const refused = { error: 'group_deleted', status: 'failed' } as const;
    await bus.put(webhookReports, { outcome: 'notRedriven', work, redriveId: 'r1', ...refused });
    await bus.put(webhookReports, { outcome: 'redriven', work, redriveId: 'r2' });
    const expected = ['DeadLetterRecorded', 'DeadLetterRedriveFailed', 'DeadLetterDelivered'];
    await eventually(async () => (await types()).length === 3);
    expect(await types()).to.eql(expected);
  });

  it('[HOOK-CIRCUIT-1] records the circuits of endpoints, as far as a project may have them open', async () => {
    await start();
    const types = async (): Promise<string[]> => {
      const found: string[] = [];
      for await (const events of log.readAll()) found.push(...events.map(({ type }) => type));
      return found;
    };
    const circuit = { circuitId: 'c', organizationId: 'o1', projectId: 'p1', url: 'https://example.com/t' };
    for (let n = 0; n < 2; n += 1)
      await bus.put(webhookReports, { outcome: 'circuitOpened', circuit, calls: 50 });
    for (let n = 0; n < 2; n += 1) await bus.put(webhookReports, { outcome: 'circuitClosed', circuit });
    await eventually(async () => (await types()).length === 2);
    entries = 1_000;
    await bus.put(webhookReports, { outcome: 'circuitOpened', circuit, calls: 50 });
    const counted = async () =>
      (await collectedMetrics(limits.collect)).get('roomwire_limit_reached_total openCircuits');
    await eventually(async () => (await counted()) === 1);
    expect(await types()).to.eql(['WebhookCircuitOpened', 'WebhookCircuitClosed']);
  });

  it('[HOOK-DLQ-3] takes less than 2 kB of the log for a dead letter, and no more of the store than the quota', async () => {
    await start();
    const count = 100;
    for (let n = 0; n < count; n += 1)
      await bus.put(
        webhookReports,
        failureOf(`call-${n}`, { data: data(60_000), url: `https://e.com/${'p'.repeat(900)}` }),
      );
    await eventually(async () => (await recorded()).length === count);
    const events = await recorded();
    for (const event of events) expect(JSON.stringify(event).length).to.be.below(2_000);
    const contents = await Promise.all(
      events.map((event) => payloads.get((event.data as { dlqId: string }).dlqId)),
    );
    const bytes = contents.reduce((sum, content) => sum + (content?.length ?? 0), 0);
    expect(bytes).to.be.within(quotaBytes / 2, quotaBytes);
    const evicted = contents.filter((content) => content === undefined).length;
    expect(
      (await collectedMetrics(limits.collect)).get('roomwire_limit_reached_total payloadQuota'),
    ).to.equal(evicted);
  });

  it('[HOOK-DLQ-3] stores the payload first: of one killed before the event, the next one writes both', async () => {
    const full = { ...log, append: () => Promise.reject(new Error('killed')) } as unknown as EventLog;
    const killed = await start({
      log: Object.assign(Object.create(log) as EventLog, { append: full.append }),
    });
    await bus.put(webhookReports, failureOf('call'));
    await eventually(async () => (await payloads.get('call')) !== undefined);
    await killed.close();
    expect(await recorded()).to.eql([]);
    await start();
    await eventually(async () => (await recorded()).length === 1);
    expect(await payloads.get('call')).not.to.equal(undefined);
  });

  for (const [what, id] of [
    ['project', 'p1'],
    ['app', 'app1'],
    ['room', 'room1'],
    ['scope', 'scope1'],
  ] as const)
    it(`[HOOK-DLQ-3] keeps no payload of a call whose ${what} was deleted before it failed for good`, async () => {
      gone.add(id);
      await start();
      await bus.put(webhookReports, failureOf('call'));
      await settled();
      expect(await recordedIds()).to.include('call');
      await eventually(async () => (await payloads.get('call')) === undefined);
    });

  it('[HOOK-DLQ-3] waits for the read models, and asks again when they are behind for long', async () => {
    let waits = 0;
    const reached = async (): Promise<boolean> => {
      await new Promise(setImmediate);
      if (++waits === 1) return false;
      // They show the deletion only now.
      gone.add('app1');
      return true;
    };
    await start({ views: Object.assign(Object.create(views) as typeof views, { reached }) });
    await bus.put(webhookReports, failureOf('call'));
    await eventually(async () => waits > 1 && (await payloads.get('call')) === undefined);
    expect(await recordedIds()).to.eql(['call']);
  });

  it('[HOOK-DLQ-3] does not bring the payload of a deleted entry back when its report comes again', async () => {
    await start();
    await bus.put(webhookReports, failureOf('call'));
    await eventually(async () => (await recorded()).length === 1);
    const command = { type: 'DeleteDeadLetter', dlqId: 'call', organizationId: 'o1' } as const;
    await executeAsSystem(
      { log, random: systemRandom, clock: systemClock },
      deadLetterTarget('call'),
      command,
      call,
    );
    // One that was stored again before the report was known to be an old one, by a process that was killed then.
    await bus.put(webhookReports, failureOf('call'));
    await eventually(async () => (await payloads.get('call')) === undefined);
    await settled();
    expect(await payloads.get('call')).to.equal(undefined);
  });

  it('[HOOK-DLQ-4] records no further failures of a project that has as many entries as it may', async () => {
    entries = 7;
    await start({ mostEntries: 10 });
    for (let n = 0; n < 10; n += 1) await bus.put(webhookReports, failureOf(`call-${n}`));
    const counted = async () =>
      (await collectedMetrics(limits.collect)).get('roomwire_limit_reached_total deadLetters');
    await eventually(async () => (await counted()) === 7);
    expect(await recorded()).to.have.lengthOf(3);
    // Those that it has go on: a report that comes again, or one of a redrive, is no new entry.
    const [first] = (await recordedIds()) as [string];
    await bus.put(webhookReports, failureOf(first, { origin: { by: 'redrive', redriveId: 'r' } }));
    const types = async (): Promise<string[]> => {
      const found: string[] = [];
      for await (const events of log.readAll()) found.push(...events.map(({ type }) => type));
      return found;
    };
    await eventually(async () => (await types()).includes('DeadLetterRedriveFailed'));
  });
});
