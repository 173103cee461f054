import type { Worker } from 'node:worker_threads';
import { eventually } from '@roomwire/testing/run/eventually';
import { freePort } from '@roomwire/testing/run/freePort';
import { scrape, type Scrape } from './scrape.js';
import { startTestService, type TestService } from './testService.js';

/** A service with its sockets in threads, and what a test does with these. */
export class StartedThreads {
  readonly service: TestService;
  /** In the order in which they were started, without those that have ended. */
  readonly workers: readonly Worker[];
  private readonly metricsUrl: string;
  private readonly forget: () => void;

  private constructor(
    service: TestService,
    workers: readonly Worker[],
    metricsUrl: string,
    forget: () => void,
  ) {
    this.service = service;
    this.workers = workers;
    this.metricsUrl = metricsUrl;
    this.forget = forget;
  }

  static async open(overrides: Parameters<typeof startTestService>[0] = {}): Promise<StartedThreads> {
    const workers: Worker[] = [];
    const started = (worker: Worker): void => {
      workers.push(worker);
      worker.once('exit', () => workers.splice(workers.indexOf(worker), 1));
    };
    process.on('worker', started);
    const opsPort = await freePort();
    const settings = { gatewayThreads: 2, publishRate: 0, opsPort, isOpsPortGiven: true, ...overrides };
    const service = await startTestService(settings);
    const metricsUrl = `http://127.0.0.1:${opsPort}/metrics`;
    return new StartedThreads(service, workers, metricsUrl, () => process.off('worker', started));
  }

  async close(): Promise<void> {
    await this.service.close();
    this.forget();
  }

  metrics(): Promise<Scrape> {
    return scrape(this.metricsUrl);
  }

  async readiness(): Promise<number> {
    return (await fetch(`${this.service.baseUrl}/readyz`)).status;
  }

  /** Once those of earlier tests are gone, and both threads run, new connections go to the threads in turn. */
  async withoutSockets(): Promise<void> {
    const isSo = async (): Promise<boolean> => {
      const { sum } = await this.metrics();
      return sum('roomwire_gateway_threads') === 2 && sum('roomwire_gateway_thread_sockets') === 0;
    };
    await eventually(isSo, { withinMs: 30_000, what: 'threads without sockets' });
  }

  /** How many sockets each thread has. */
  async sockets(): Promise<readonly (number | undefined)[]> {
    const { sum } = await this.metrics();
    return ['1', '2'].map((thread) => sum('roomwire_gateway_thread_sockets', { thread }));
  }

  /** Ends a thread at whatever it does. */
  async kill(at: number): Promise<void> {
    await this.workers[at]?.terminate();
  }
}
