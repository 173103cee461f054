import { setTimeout as pause } from 'node:timers/promises';
import { encode } from '@msgpack/msgpack';
import { openDataFolder, type DataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import { openEmbeddedMessageBus } from '@roomwire/shared/adapters/message-bus/embeddedMessageBus';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { openEmbeddedViewStores } from '@roomwire/shared/adapters/view-store/embeddedViewStore';
import { createdProject } from '@roomwire/shared/domain/project';
import { webhookCalls, type WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import { createSecretBox } from '@roomwire/shared/credentials/secretBox';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import { createWebhookConsumer, type WebhookConsumer } from '@roomwire/webhook-consumer/webhookConsumer';
import { serveJobs } from '../process/worker.js';
import type { ConsumerJob, WebhookResult } from './jobs.js';

interface Open {
  readonly bus: MessageBus;
  readonly consumer: WebhookConsumer;
  close(): Promise<void>;
}

const projectId = 'project';
const project = {
  ...createdProject(
    { projectId, organizationId: 'organization', name: 'Project' },
    new Date(0).toISOString(),
  ),
  createdPosition: '0'.repeat(16),
};

let opened: Open | undefined;

const current = (): Open => {
  if (opened === undefined) throw new Error('No consumer is open');
  return opened;
};

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

const open = async (path: string): Promise<Open> => {
  const folder: DataFolder = await openDataFolder(path);
  const [bus, stores] = [await openEmbeddedMessageBus(folder), await openEmbeddedViewStores(folder)];
  await stores.views.admitReaders(undefined);
  if ((await stores.views.checkpoint()) === undefined)
    await stores.views.apply({
      changes: [{ put: 'projects', id: projectId, doc: project }],
      position: project.createdPosition,
    });
  const consumer = createWebhookConsumer({
    ...{ bus, views: stores.views, clock: systemClock, logger: quiet, random: systemRandom },
    secretBox: createSecretBox({ current: new Uint8Array(32) }),
    roomEvents: { settle: async () => undefined },
    options: { allowPrivate: true, graceMs: 100 },
  });
  await consumer.start();
  const close = async (): Promise<void> => {
    await consumer.close();
    await bus.close();
    await stores.close();
    await folder.close();
  };
  return { bus, consumer, close };
};

const now = (): number => performance.timeOrigin + performance.now();
const filler = 'x'.repeat(200);

const newCall = (url: string, room: string): WebhookCall => ({
  callId: systemRandom.uuid(),
  kind: 'trigger',
  organizationId: 'organization',
  projectId,
  appId: 'app',
  url,
  headers: [['x-key', 'key']],
  room: `project/app/_/${room}`,
  roomName: room,
  topicName: 'chat',
  actorId: 'actor',
  scope: null,
  data: encode({ at: now(), text: filler }),
  origin: { by: 'publish' },
  attempts: 0,
});

const tickMs = 5;

const call = async ({ url, perSecond, seconds, rooms }: Extract<ConsumerJob, { kind: 'call' }>) => {
  const { bus } = current();
  const total = perSecond * seconds;
  const begin = performance.now();
  const puts: Promise<void>[] = [];
  while (puts.length < total) {
    const due = Math.min(total, ((performance.now() - begin) / 1_000) * perSecond);
    while (puts.length < due) puts.push(bus.put(webhookCalls, newCall(url, `room-${puts.length % rooms}`)));
    await pause(tickMs);
  }
  await Promise.all(puts);
};

const hang = async (url: string, calls: number): Promise<void> => {
  const { bus, consumer } = current();
  const puts = Array.from({ length: calls }, (_, n) =>
    bus.put(webhookCalls, newCall(url, `hung-${n % 100}`)),
  );
  await Promise.all(puts);
  while (consumer.metrics.inFlight === 0) await pause(tickMs);
};

serveJobs<ConsumerJob, WebhookResult>(async (job) => {
  switch (job.kind) {
    case 'open':
      opened = await open(job.folder);
      return {};
    case 'call':
      await call(job);
      return {};
    case 'hang':
      await hang(job.url, job.calls);
      return {};
    case 'close':
      await current().close();
      return {};
  }
});
