import { expect } from 'chai';
import { FrameClient } from '@roomwire/testing/clients/frameClient';
import { eventually } from '@roomwire/testing/run/eventually';
import { seededChance } from '@roomwire/testing/run/seededChance';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { JobWorker } from '../../support/jobWorker.js';
import { startProgram, stop } from '../../support/program.js';
import { twoActors } from '../../support/twoActors.js';

/** Publishes numbers until its connection ends. */
class Publisher {
  /** Those that were answered `published`. */
  readonly published: Set<unknown>;
  private readonly client: FrameClient;
  private readonly topic: string;

  constructor(client: FrameClient, topic: string, published: Set<unknown>) {
    this.client = client;
    this.topic = topic;
    this.published = published;
  }

  /** So many are on their way at a time. Resolves with the first number that was not sent. */
  async publishFrom(first: number): Promise<number> {
    let n = first;
    const send = (): FrameClient => this.client.publish(this.topic, n, { qos: 1, msgRef: String(n++) });
    for (let ahead = 0; ahead < 10; ahead += 1) send();
    for (;;) {
      const frame = await this.client.next().catch(() => undefined);
      if (frame === undefined) return n;
      if (frame === 'heartbeat') continue;
      expect(frame).to.include({ type: 'published' });
      this.published.add(Number(frame['msgRef']));
      send();
    }
  }
}

describe('jobs on files', () => {
  const jobs = { prefetch: 1_000, ackSeconds: 3_600, maxDeliveries: 100 };

  it('[WS-JOB-4] [WS-JOB-5] are not lost when the service is killed while they are published and acknowledged', async () => {
    const folder = await temporaryFolder();
    const settings = { ROOMWIRE_PUBLISH_RATE: '0' };
    const chance = seededChance(19);
    let service = await startProgram(folder.path, settings);
    const { topic, listener, sender } = await twoActors(service.project);
    const published = new Set<unknown>();
    const done = new Set<unknown>();
    let sent = 0;
    for (let kill = 0; kill < 3; kill += 1) {
      const worker = await JobWorker.join(service.socketUrl, listener, topic, jobs);
      const client = await FrameClient.join(service.socketUrl, sender);
      const publishing = new Publisher(client, topic, published).publishFrom(sent);
      const until = published.size + 100 + chance.below(100);
      await eventually(async () => published.size >= until && worker.got.length >= 100, {
        ...{ what: 'jobs in flight', withinMs: 20_000 },
      });
      worker.acknowledge((data) => {
        const isDone = chance.below(3) === 0;
        if (isDone) done.add(data);
        return isDone;
      });
      await stop(service, 'SIGKILL');
      sent = await publishing;
      service = await startProgram(folder.path, settings);
    }
    const last = await JobWorker.join(service.socketUrl, listener, topic, jobs);
    last.acknowledgeAll();
    const missing = () => [...published].filter((n) => !done.has(n) && !last.got.includes(n));
    await eventually(async () => missing().length === 0, { what: 'all jobs', withinMs: 20_000 });
    expect(last.got.length).to.equal(new Set(last.got).size);
    last.end();
    await stop(service);
    await folder.remove();
  }).timeout(90_000);
});
