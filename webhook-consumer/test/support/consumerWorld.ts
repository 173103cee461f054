import { encode } from '@msgpack/msgpack';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import {
  type WebhookAnswer,
  webhookAnswers,
  type WebhookCall,
  webhookCalls,
} from '@roomwire/shared/wire/bus/webhookCalls';
import {
  type CallReport,
  type CircuitReport,
  isCallReport,
  isCircuitReport,
  webhookReports,
} from '@roomwire/shared/wire/bus/webhookReports';
import { webhookOutcomes, type WebhookOutcome } from '@roomwire/shared/wire/bus/webhookOutcomes';
import { createdProject } from '@roomwire/shared/domain/project';
import type { LogFields, Logger } from '@roomwire/shared/ports/logger';
import { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { createSecretBox } from '@roomwire/shared/credentials/secretBox';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import type { Views } from '@roomwire/shared/wire/views/views';
import { recordingTracing } from '@roomwire/testing/fakes/recordingTracing';
import { WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import type { WebhookConsumerOptions } from '../../src/options.js';
import { createWebhookConsumer, type WebhookConsumer } from '../../src/webhookConsumer.js';
import { openEngines, type Engines } from './engines.js';

/** Waits that a test need not feel. */
const fast: Partial<WebhookConsumerOptions> = {
  allowPrivate: true,
  attemptMs: 400,
  retryWaitsMs: [60, 120],
  graceMs: 50,
};

const projectOf = (projectId: string) => ({
  ...createdProject({ projectId, organizationId: 'o1', name: projectId }, new Date(0).toISOString()),
  createdPosition: '0'.repeat(16),
});

const app = {
  appId: 'app1',
  projectId: 'p1',
  slug: 'app-1',
  createdPosition: '0'.repeat(16),
} as Views['apps'];

/** Consumers on a bus of their own, on files or on the engines of the run, an endpoint, and what comes of the calls. */
export class ConsumerWorld {
  readonly reports: CallReport[] = [];
  readonly circuitReports: CircuitReport[] = [];
  readonly answers: WebhookAnswer[] = [];
  readonly outcomes: WebhookOutcome[] = [];
  /** Room and sequence. */
  readonly settled: string[] = [];
  readonly tracing = recordingTracing();
  readonly logLines: string[] = [];
  readonly consumers: WebhookConsumer[] = [];
  readonly endpoint: WebhookEndpoint;
  bus: MessageBus;
  readonly views: ViewStore;
  readonly secretBox = createSecretBox({ current: new Uint8Array(32).fill(5) });
  private readonly engines: Engines;
  private calls = 0;

  private constructor(engines: Engines, bus: MessageBus, endpoint: WebhookEndpoint) {
    this.endpoint = endpoint;
    this.engines = engines;
    this.views = engines.views;
    this.bus = bus;
  }

  static async open(options: Partial<WebhookConsumerOptions> = {}): Promise<ConsumerWorld> {
    const engines = await openEngines();
    const world = new ConsumerWorld(engines, await engines.openBus(), await WebhookEndpoint.open());
    const changes = ['p1', 'p2'].map((id) => ({ put: 'projects', id, doc: projectOf(id) }) as const);
    const ofApp = { put: 'apps', id: app.appId, doc: app } as const;
    await world.views.apply({ changes: [...changes, ofApp], position: '0'.repeat(16) });
    await world.listen();
    await world.startConsumer(options);
    return world;
  }

  async startConsumer(
    options: Partial<WebhookConsumerOptions> = {},
    bus: MessageBus = this.bus,
  ): Promise<WebhookConsumer> {
    const write = (message: string, fields?: LogFields) =>
      void this.logLines.push(`${message} ${JSON.stringify(fields ?? {})}`);
    const logger: Logger = { debug: write, info: write, warn: write, error: write };
    const limits = new LimitReports({ clock: systemClock, logger });
    const consumer = createWebhookConsumer({
      ...{ bus, clock: systemClock, logger, random: systemRandom, limits },
      ...{ views: this.views, secretBox: this.secretBox, tracing: this.tracing.tracing },
      roomEvents: { settle: async ({ roomId }, upTo) => void this.settled.push(`${roomId} ${upTo}`) },
      options: { ...fast, ...options },
    });
    this.consumers.push(consumer);
    await consumer.start();
    return consumer;
  }

  /** The process ends and another one continues. */
  async restart(options: Partial<WebhookConsumerOptions> = {}): Promise<void> {
    await this.closeConsumers();
    await this.bus.close();
    this.bus = await this.engines.openBus();
    await this.listen();
    await this.startConsumer(options);
  }

  async put(url: string, fields: Partial<WebhookCall> = {}): Promise<WebhookCall> {
    const call: WebhookCall = {
      callId: `call-${++this.calls}`,
      kind: 'trigger',
      organizationId: 'o1',
      projectId: 'p1',
      appId: 'app1',
      url,
      headers: [['X-Key', 'secret-of-the-customer']],
      room: 'p1/app-1/_/lobby',
      roomName: 'lobby',
      topicName: 'news',
      actorId: 'actor-1',
      scope: null,
      data: encode({ text: 'payload-of-the-customer', n: this.calls }),
      origin: { by: 'publish' },
      attempts: 0,
      ...fields,
    };
    await this.bus.put(webhookCalls, call);
    return call;
  }

  hydrate(url: string, fields: Partial<WebhookCall> = {}): Promise<WebhookCall> {
    const origin = { by: 'subscribe', gatewayId: 'gateway-1', subscription: 7 } as const;
    return this.put(url, { kind: 'hydration', data: new Uint8Array(), origin, ...fields });
  }

  async close(): Promise<void> {
    await this.closeConsumers();
    await this.bus.close();
    await this.engines.close();
    await this.endpoint.close();
  }

  async closeConsumers(): Promise<void> {
    await Promise.all(this.consumers.splice(0).map((consumer) => consumer.close()));
  }

  private async listen(): Promise<void> {
    await this.bus.work(webhookReports, { concurrency: 8 }, async (report) => {
      if (isCallReport(report)) this.reports.push(report);
      if (isCircuitReport(report)) this.circuitReports.push(report);
    });
    await this.bus.read(webhookAnswers, { interest: 'all' }, (answer) => this.answers.push(answer));
    await this.bus.read(webhookOutcomes, { interest: 'all' }, (outcome) => this.outcomes.push(outcome));
  }
}
