import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openEmbeddedMessageBus } from '@roomwire/shared/adapters/message-bus/embeddedMessageBus';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import {
  formerWebhookReports,
  type WebhookCall,
  type WebhookReport,
  webhookReports,
} from '@roomwire/shared/wire/bus/webhookCalls';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { createDeadLetterRecorder } from '../../src/dead-letters/deadLetterRecorder.js';

const call: WebhookCall = {
  callId: 'call',
  kind: 'trigger',
  organizationId: 'o1',
  projectId: 'p1',
  appId: 'app1',
  url: 'https://example.com/hook',
  headers: [],
  room: 'p1/app-1/_/lobby',
  roomName: 'lobby',
  topicName: 'news',
  actorId: 'actor-1',
  scope: null,
  data: Uint8Array.of(0xc0),
  origin: { by: 'publish' },
  attempts: 3,
};

const failureOf = (callId: string): WebhookReport => ({
  outcome: 'failed',
  call: { ...call, callId },
  responseStatus: 500,
  error: 'The endpoint answered 500',
  status: 'pending',
});

describe('[HOOK-DLQ-2] the recorder of dead letters', () => {
  let folder: TemporaryFolder;
  let bus: MessageBus;
  let log: EventLog;

  beforeEach(async () => {
    folder = await temporaryFolder();
    const files = {
      file: (name: string) => join(folder.path, name),
      path: folder.path,
      close: async () => undefined,
    };
    [bus, log] = [await openEmbeddedMessageBus(files), await openEmbeddedEventLog(files)];
  });

  afterEach(async () => {
    await bus.close();
    await log.close();
    await folder.remove();
  });

  const recorded = async (): Promise<unknown[]> => {
    const ids: unknown[] = [];
    for await (const events of log.readAll())
      for (const { type, data } of events)
        if (type === 'DeadLetterRecorded') ids.push((data as { dlqId?: unknown }).dlqId);
    return ids;
  };

  it('takes reports from the queue, and those that an earlier version left in the queue of that time', async () => {
    await bus.put(formerWebhookReports, failureOf('former'));
    await bus.put(webhookReports, failureOf('new'));
    const clock = systemClock;
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const recorder = createDeadLetterRecorder({ bus, log, random: systemRandom, clock, logger });
    await recorder.start();
    await eventually(async () => (await recorded()).length === 2);
    expect(await recorded()).to.have.members(['former', 'new']);
    await recorder.close();
  });
});
