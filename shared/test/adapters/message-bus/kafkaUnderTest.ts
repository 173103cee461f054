import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import {
  openKafkaMessageBus,
  type KafkaMessageBus,
  type KafkaMessageBusOptions,
} from '../../../src/adapters/message-bus/kafka/kafkaMessageBus.js';
import { otherTopics } from '../../../src/wire/bus/busTopics.js';
import { withForeignAdmin } from '@roomwire/testing/engines/foreignKafka';
import { testBrokers } from '@roomwire/testing/run/testProfile';

/** The shortest that brokers allow by default. */
export const sessionTimeoutMs = 6_000;
export const partitions = 4;

/** Topics and buses of one test, which meet those of no other. */
export interface KafkaUnderTest {
  readonly prefix: string;
  readonly open: (options?: Partial<KafkaMessageBusOptions>) => Promise<KafkaMessageBus>;
  /** Closes the buses, and leaves no topics behind on brokers that live longer than the tests. */
  readonly dispose: () => Promise<void>;
}

export const kafkaUnderTest = (): KafkaUnderTest => {
  const prefix = `test-${randomUUID().slice(0, 8)}.`;
  const opened: KafkaMessageBus[] = [];
  return {
    prefix,
    open: async (options = {}) => {
      const bus = await openKafkaMessageBus({
        brokers: testBrokers(),
        clientId: 'roomwire-test',
        topicPrefix: prefix,
        topics: [],
        otherTopics: { ...otherTopics, partitions },
        sessionTimeoutMs,
        ...options,
      });
      opened.push(bus);
      return bus;
    },
    dispose: async () => {
      await Promise.all(opened.map((bus) => bus.close()));
      await withAdmin(async (admin) => {
        const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix));
        if (topics.length > 0) await admin.deleteTopics({ topics });
      });
    },
  };
};

export const withAdmin = <T>(use: Parameters<typeof withForeignAdmin<T>>[1]): Promise<T> =>
  withForeignAdmin(testBrokers(), use);

/** What a bus is connected through, for a test to disturb. */
export interface Cable {
  readonly connect: (port: number, host: string, connected: () => void) => Socket;
  /** Ends the connections of the moment. */
  interrupt(): void;
  /** As if the process had been killed: no connection from here on. */
  cut(): void;
  restore(): void;
  /** Nothing arrives for a while, as in a suspended process. */
  freeze(forMs: number): Promise<void>;
  /** Answers of the brokers on the current connections are dropped; then these end. */
  loseAnswers(afterMs: number): void;
}

export const cable = (): Cable => {
  const sockets = new Set<Socket>();
  let isCut = false;
  const end = (socket: Socket): unknown => socket.destroy(new Error('The test has ended the connection'));
  return {
    connect: (port, host, connected) => {
      const socket = connect(port, host, connected);
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      if (isCut) end(socket);
      return socket;
    },
    interrupt: () => sockets.forEach(end),
    cut: () => {
      isCut = true;
      sockets.forEach(end);
    },
    restore: () => {
      isCut = false;
    },
    freeze: async (forMs) => {
      const present = [...sockets];
      for (const socket of present) socket.pause();
      await pause(forMs);
      for (const socket of present) socket.resume();
    },
    loseAnswers: (afterMs) => {
      const present = [...sockets];
      for (const socket of present) socket.removeAllListeners('data');
      setTimeout(() => present.forEach(end), afterMs);
    },
  };
};
