import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import {
  openKafkaMessageBus,
  type KafkaMessageBus,
} from '@roomwire/shared/adapters/message-bus/kafka/kafkaMessageBus';
import { liveMessages } from '@roomwire/shared/wire/bus/liveMessage';
import { liveMessage } from '@roomwire/testing/builders/liveMessage';
import { messageBody, messageHead } from '@roomwire/shared/wire/protocol/encodeFrames';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { analyticsStreams } from '@roomwire/analytics/analytics';
import { ask } from '@roomwire/analytics/report/report';
import type { Question } from '@roomwire/analytics/report/questions';
import { openDuckDb, type DuckDb } from '@roomwire/analytics/store/duckDb';
import { type KafkaEngine, startKafka } from '@roomwire/testing/engines/kafka';
import { runRoomwire, type Program } from '../support/program.js';

const outages = 2;
const rooms = 50;

const ids: Question = {
  ...{ name: 'ids', title: 'Ids', stream: 'messages', headings: [] },
  sql: 'SELECT id, count(*)::DOUBLE AS times FROM messages GROUP BY id',
};

describe('[ANALYTICS-EXACT-1] analytics, when the broker is killed', function () {
  this.timeout(240_000);
  let kafka: KafkaEngine;
  let folder: TemporaryFolder;
  let bus: KafkaMessageBus;
  let duckDb: DuckDb;
  let consumer: Program;

  before(async () => {
    folder = await temporaryFolder();
    kafka = await startKafka();
    bus = await openKafkaMessageBus({ brokers: [kafka.brokers], clientId: 'test' });
    duckDb = await openDuckDb({ memoryMb: 256, spillFolder: join(folder.path, 'spill') });
    consumer = runRoomwire(['analytics', 'run', '--flush-seconds', '1'], {
      ROOMWIRE_KAFKA_BROKERS: kafka.brokers,
      ROOMWIRE_ANALYTICS_DIR: folder.path,
      ROOMWIRE_LOG_LEVEL: 'error',
      ROOMWIRE_PORT: '0',
    });
    await consumer.printed(/Roomwire analytics is running/);
  });
  after(async () => {
    consumer?.process.kill('SIGKILL');
    duckDb?.close();
    await bus?.close();
    await kafka?.close();
    await folder?.remove();
  });

  /** Resolves with the id. */
  const send = async (n: number): Promise<string> => {
    const id = `${Date.now().toString(36).padStart(9, '0')}.${n}`;
    const room = `p1/place/_/room-${n % rooms}`;
    const body = messageBody(messageHead(`place/room-${n % rooms}/chat`), encode(n));
    const who = { projectId: 'p1', publisher: 'a1' };
    await bus.send(liveMessages, liveMessage({ id, room, topic: `${room}/chat`, body, ...who }), 'stored');
    return id;
  };
  const counted = async (): Promise<ReadonlyMap<string, number>> => {
    const { answers } = await ask(duckDb, analyticsStreams(folder.path, false), [ids], {});
    return new Map(answers[0]?.rows.map(({ id, times }) => [String(id), Number(times)]));
  };

  it('count every stored record exactly once', async () => {
    const stored = new Set<string>();
    let isOver = false;
    const sending = (async () => {
      for (let n = 0; !isOver; n += 1) {
        void send(n).then(
          (id) => stored.add(id),
          () => undefined,
        );
        await pause(n % 3 === 0 ? 1 : 0);
      }
    })();
    for (let outage = 0; outage < outages; outage += 1) {
      const before = (await counted()).size;
      await eventually(async () => (await counted()).size > before + 500, { withinMs: 60_000, what: 'some' });
      await kafka.restart();
    }
    const before = (await counted()).size;
    await eventually(async () => (await counted()).size > before + 500, { withinMs: 60_000, what: 'more' });
    isOver = true;
    await sending;
    await bus.close();

    const missing = async (): Promise<string[]> => {
      const found = await counted();
      return [...stored].filter((id) => !found.has(id));
    };
    await eventually(async () => (await missing()).length === 0, {
      withinMs: 60_000,
      what: 'all that was stored',
    });
    expect([...(await counted())].filter(([, times]) => times > 1)).to.eql([]);
  });
});
