import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../run/freePort.js';
import { commonSettings, type KafkaBroker, prepareBroker } from './kafka/brokerProcess.js';

export interface KafkaOptions {
  readonly port?: number;
  /** Kept when the engine is closed; without it, the files are in a temporary folder that is removed. */
  readonly dataDir?: string;
  /** One more door, of the broker's own kind of security: its address, and its settings as in `server.properties`. */
  readonly guarded?: {
    readonly port: number;
    readonly protocol: string;
    readonly settings: readonly string[];
  };
  /** Options of the virtual machine. */
  readonly java?: readonly string[];
}

export interface KafkaEngine {
  /** For `ROOMWIRE_KAFKA_BROKERS`. */
  readonly brokers: string;
  /** Resolves when the broker has ended. */
  readonly kill: (signal: NodeJS.Signals) => Promise<void>;
  /** The broker stays connected and answers nothing. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** On the same port and the same files, after it was killed. */
  readonly restart: () => Promise<void>;
  readonly close: () => Promise<void>;
}

interface Ports {
  readonly port: number;
  readonly controllerPort: number;
}

/** One broker that is its own controller, on loopback. */
const settingsOf = ({ port, controllerPort }: Ports, guarded: KafkaOptions['guarded']): readonly string[] => {
  const clients = [
    `CLIENTS://127.0.0.1:${port}`,
    ...(guarded ? [`GUARDED://127.0.0.1:${guarded.port}`] : []),
  ];
  return [
    'process.roles=broker,controller',
    'node.id=1',
    `controller.quorum.voters=1@127.0.0.1:${controllerPort}`,
    `listeners=${clients.join(',')},CONTROLLER://127.0.0.1:${controllerPort}`,
    `advertised.listeners=${clients.join(',')}`,
    `listener.security.protocol.map=CLIENTS:PLAINTEXT,CONTROLLER:PLAINTEXT,GUARDED:${guarded?.protocol ?? 'PLAINTEXT'}`,
    'inter.broker.listener.name=CLIENTS',
    'offsets.topic.replication.factor=1',
    ...commonSettings,
    ...(guarded?.settings ?? []),
  ];
};

/** Apache Kafka as a process of its own; resolves when it takes and hands out records. */
export const startKafka = async (options: KafkaOptions = {}): Promise<KafkaEngine> => {
  const { dataDir, guarded, java = [] } = options;
  const folder = dataDir ?? (await mkdtemp(join(tmpdir(), 'roomwire-kafka-')));
  let broker: KafkaBroker | undefined;
  const close = async (): Promise<void> => {
    await broker?.kill(dataDir === undefined ? 'SIGKILL' : 'SIGTERM');
    if (dataDir === undefined) await rm(folder, { recursive: true, force: true });
  };
  try {
    await mkdir(folder, { recursive: true });
    const port = options.port ?? (await freePort());
    const settings = settingsOf({ port, controllerPort: await freePort() }, guarded);
    broker = await prepareBroker({ folder, address: `127.0.0.1:${port}`, settings, java });
    await broker.start();
  } catch (error) {
    await close();
    throw error;
  }
  const { address: brokers, start, kill, pause, resume } = broker;
  return {
    ...{ brokers, kill, pause, resume, close },
    restart: async () => {
      await kill('SIGKILL');
      await start();
    },
  };
};
