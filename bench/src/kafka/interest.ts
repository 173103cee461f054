import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import {
  openKafkaMessageBus,
  type KafkaMessageBus,
} from '@roomwire/shared/adapters/message-bus/kafka/kafkaMessageBus';
import { partitionOf } from '@roomwire/shared/adapters/message-bus/kafka/recordFormat';
import { busTopics } from '@roomwire/shared/wire/bus/busTopics';
import { liveMessages, type LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { liveMessage } from '@roomwire/testing/builders/liveMessage';
import { dataBytes } from '../generator/frames.js';
import type { Measurement } from '../measure/comparison.js';
import type { Stoppable } from '../process/children.js';

/** The buses of two gateways: one has subscribers, the other takes the publishes. */
export interface Interest extends Stoppable {
  readonly subscribed: KafkaMessageBus;
  readonly publishing: KafkaMessageBus;
  /** Everything that the second one has sent. */
  bytesProduced(): number;
}

export interface InterestLoad {
  readonly rooms: number;
  readonly attended: number;
  readonly messagesARoom: number;
}

const quietMs = 500;

export const openInterest = async (brokers: string): Promise<Interest> => {
  const sockets: Socket[] = [];
  const counted = (port: number, host: string, connected: () => void): Socket => {
    const socket = connect(port, host, connected);
    sockets.push(socket);
    return socket;
  };
  const options = { brokers: [brokers], clientId: 'load' };
  const subscribed = await openKafkaMessageBus(options);
  const publishing = await openKafkaMessageBus({ ...options, connect: counted });
  return {
    subscribed,
    publishing,
    bytesProduced: () => sockets.reduce((sum, socket) => sum + socket.bytesWritten, 0),
    stop: async () => void (await Promise.all([subscribed.close(), publishing.close()])),
  };
};

/** Publishes in all rooms, and counts what the bus with subscribers in some of them has read. */
export const measureInterest = async (interest: Interest, load: InterestLoad): Promise<Measurement> => {
  const { subscribed, publishing } = interest;
  const rooms = Array.from({ length: load.rooms }, () => `project/app/room/${randomUUID()}`);
  const attended = new Set(rooms.slice(0, load.attended));
  let received = 0;
  const reader = await subscribed.read(liveMessages, { interest: 'subscribed' }, ({ room }) => {
    if (attended.has(room)) received += 1;
  });
  try {
    for (const room of attended) await reader.subscribe(room);
    const before = { read: readBy(subscribed), produced: interest.bytesProduced() };
    for (let n = 0; n < load.messagesARoom; n += 1)
      await Promise.all(rooms.map((room) => publishing.send(liveMessages, messageIn(room), 'stored')));
    await wait(quietMs);
    const after = { read: readBy(subscribed), produced: interest.bytesProduced() };
    const bytesRead = after.read.bytes - before.read.bytes;
    const bytesProduced = after.produced - before.produced;
    return {
      shareOfBytes: (bytesRead / bytesProduced) * 100,
      shareOfPartitions: shareOfPartitions(attended) * 100,
      bytesRead: bytesRead / 1024,
      bytesProduced: bytesProduced / 1024,
      recordsRead: after.read.records - before.read.records,
      lost: load.attended * load.messagesARoom - received,
    };
  } finally {
    await reader.close();
  }
};

const readBy = (bus: KafkaMessageBus) => bus.statistics[liveMessages.name] ?? { records: 0, bytes: 0 };

const messageIn = (room: string): LiveMessage =>
  liveMessage({ room, topic: `${room}/load`, body: Buffer.alloc(dataBytes, 0x2e) });

const shareOfPartitions = (rooms: ReadonlySet<string>): number => {
  const all = busTopics.find(({ name }) => name === liveMessages.name)?.partitions ?? Number.NaN;
  return new Set([...rooms].map((room) => partitionOf(Buffer.from(room), all))).size / all;
};
