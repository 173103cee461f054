import { setTimeout as wait } from 'node:timers/promises';
import type { Measurement } from '../measure/comparison.js';
import { Samples } from '../measure/samples.js';
import { startCpuMeter } from '../measure/usage.js';
import type { Connection } from './connection.js';
import { DurablePublisher } from './durablePublisher.js';
import type { FillRoomsJob } from './jobs.js';
import { admitted } from './wires/roomwireWire.js';

const lookEveryMs = 5;

/** Publishes so many messages to each topic, as fast as they are answered, to rooms in which nobody is. */
export const fillRooms = async (job: FillRoomsJob): Promise<Measurement> => {
  const { topics, messagesEach, connections, window } = job;
  const publishers: DurablePublisher[] = [];
  const open: Connection[] = [];
  try {
    for (let index = 0; index < connections; index += 1) {
      const own = topics.filter((_, topic) => topic % connections === index);
      open.push(await admitted(job.port, job.login.publisherToken));
      publishers.push(new DurablePublisher(open[index] as Connection, own, new Samples()));
    }
    const meter = startCpuMeter(job.serverId);
    for (const publisher of publishers) publishAll(publisher, messagesEach, window / connections);
    const answered = (): number => publishers.reduce((sum, publisher) => sum + publisher.answered, 0);
    while (answered() < topics.length * messagesEach) {
      if (publishers.some(({ unexpected }) => unexpected > 0)) throw new Error('A publish was refused');
      await wait(lookEveryMs);
    }
    const { elapsed, server } = meter();
    return { messagesPerSecond: answered() / elapsed, cpuPerMessage: (server * 1e6) / answered(), elapsed };
  } finally {
    for (const connection of open) connection.end();
  }
};

const publishAll = (publisher: DurablePublisher, messagesEach: number, window: number): void => {
  let left = messagesEach * publisher.topics;
  const publish = (count: number): void => {
    for (let times = Math.min(count, left); times > 0; times -= 1) {
      left -= 1;
      publisher.publish(performance.now());
    }
  };
  publisher.onAnswers = publish;
  publish(Math.ceil(window));
};
