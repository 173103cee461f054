import { Buffer } from 'node:buffer';
import { setTimeout as wait } from 'node:timers/promises';
import {
  AckPolicy,
  type ConsumerMessages,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { dataBytes } from '../generator/frames.js';
import { workFigures } from '../generator/jobs.js';
import type { Measurement } from '../measure/comparison.js';
import { startCpuMeter } from '../measure/usage.js';
import type { JetStreamJob } from './jobs.js';
import { connectTo, type OpenStream } from './stream.js';

type WorkJob = JetStreamJob & { kind: 'work' };

const stream = 'work';
const data = Buffer.alloc(dataBytes, 0x2e);
const lookEveryMs = 2;
const fillWindow = 1_000;
const uncounted = 0.1;
const timeout = 60_000;

/** One round: a stream from which an acknowledgement removes, and consumers that pull from it for several members. */
export const measureWork = async (job: WorkJob): Promise<Measurement> => {
  const publisher = await connectTo(job.port);
  const clients: OpenStream[] = [];
  const manager = await jetstreamManager(publisher.connection);
  const [subject = ''] = job.subjects;
  try {
    await manager.streams.add({
      ...{
        name: stream,
        subjects: [subject],
        storage: StorageType.File,
        retention: RetentionPolicy.Workqueue,
      },
    });
    await manager.consumers.add(stream, {
      ...{
        durable_name: 'workers',
        ack_policy: AckPolicy.Explicit,
        max_ack_pending: job.members * job.prefetch,
      },
    });
    while (clients.length < job.members) clients.push(await connectTo(job.port));
    const shop = new Workshop(job, { publisher, clients, subject });
    return await (job.load.kind === 'backlog'
      ? shop.workOff(job.load.jobs)
      : shop.workAlong(job.load.window));
  } finally {
    await manager.streams.delete(stream);
    await Promise.all([publisher, ...clients].map(({ connection }) => connection.close()));
  }
};

interface Tools {
  readonly publisher: OpenStream;
  readonly clients: readonly OpenStream[];
  readonly subject: string;
}

class Workshop {
  private readonly job: WorkJob;
  private readonly tools: Tools;
  private received = 0;
  private answered = 0;
  private published = 0;

  constructor(job: WorkJob, tools: Tools) {
    this.job = job;
    this.tools = tools;
  }

  async workOff(jobs: number): Promise<Measurement> {
    const fill = async (): Promise<void> => {
      while (this.published < jobs) await this.publish();
    };
    await Promise.all(Array.from({ length: fillWindow }, fill));
    const open = await this.join();
    const edge = Math.floor(jobs * uncounted);
    await this.until(() => this.received >= edge);
    const meter = startCpuMeter(this.job.serverId);
    const before = this.received;
    await this.until(() => this.received >= jobs - edge);
    const figures = workFigures(this.received - before, meter());
    await this.until(() => this.received >= jobs);
    await Promise.all(open.map((messages) => messages.close()));
    return { ...figures, lost: 0 };
  }

  async workAlong(window: number): Promise<Measurement> {
    const open = await this.join();
    let isOver = false;
    const keepPublishing = async (): Promise<void> => {
      while (!isOver) {
        await this.publish();
        while (!isOver && this.published - Math.min(this.answered, this.received) >= window)
          await wait(lookEveryMs);
      }
    };
    const publishing = Array.from({ length: window }, keepPublishing);
    await wait(this.job.warmUpSeconds * 1_000);
    const meter = startCpuMeter(this.job.serverId);
    const before = this.received;
    await wait(this.job.seconds * 1_000);
    const figures = workFigures(this.received - before, meter());
    isOver = true;
    await Promise.all(publishing);
    await this.until(() => this.received >= this.published);
    await Promise.all(open.map((messages) => messages.close()));
    return { ...figures, lost: 0 };
  }

  private async publish(): Promise<void> {
    this.published += 1;
    await this.tools.publisher.client.publish(this.tools.subject, data, { timeout });
    this.answered += 1;
  }

  private join(): Promise<readonly ConsumerMessages[]> {
    return Promise.all(
      this.tools.clients.map(async ({ client }) => {
        const consumer = await client.consumers.get(stream, 'workers');
        return consumer.consume({
          max_messages: this.job.prefetch,
          callback: (message) => {
            message.ack();
            this.received += 1;
          },
        });
      }),
    );
  }

  private async until(isReached: () => boolean): Promise<void> {
    const deadline = performance.now() + 2 * timeout;
    while (!isReached()) {
      if (performance.now() > deadline) throw new Error(`${this.received} of ${this.published} jobs came`);
      await wait(lookEveryMs);
    }
  }
}
