import { fileURLToPath } from 'node:url';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kafkaAnswers } from '@roomwire/shared/adapters/message-bus/kafka/inspectKafka';
import { cachedFolder } from './cachedFolder.js';
import { type EngineProcess, isInstalled, runToEnd, startEngineProcess, whenReady } from './childProcess.js';
import { freePort } from '../run/freePort.js';

/** As in the pom. */
const version = '3.9.1';
const pom = fileURLToPath(new URL('../../../engines/kafka/pom.xml', import.meta.url));

/** The folder with everything a broker needs, from Maven Central the first time. */
export const kafkaJars = (): Promise<string> =>
  cachedFolder(`kafka-${version}`, async (folder) => {
    await requireCommand('mvn', 'maven');
    await runToEnd('mvn', [
      '-q',
      '-B',
      '-f',
      pom,
      'dependency:copy-dependencies',
      `-DoutputDirectory=${folder}`,
    ]);
  });

export const requireJava = (): Promise<void> => requireCommand('java', 'openjdk-17-jre-headless');

const requireCommand = async (command: string, debianPackage: string): Promise<void> => {
  if (await isInstalled(command)) return;
  throw new Error(
    `Kafka for the tests needs the command ${command}, which is not installed. Debian: apt-get install ${debianPackage}`,
  );
};

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

interface Layout {
  readonly guarded: KafkaOptions['guarded'];
  readonly folder: string;
  readonly port: number;
  readonly controllerPort: number;
}

const startsWithinMs = 60_000;
/** Any 16 bytes as base64: they name the cluster in the files that `StorageTool` makes. */
const clusterId = 'cm9vbXdpcmUtdGVzdC1rZg';

/** One broker that is its own controller, on loopback. */
const serverProperties = ({ folder, port, controllerPort, guarded }: Layout): string => {
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
    'controller.listener.names=CONTROLLER',
    `log.dirs=${join(folder, 'data')}`,
    // A missing topic must be an error, and not be created with default settings.
    'auto.create.topics.enable=false',
    'offsets.topic.replication.factor=1',
    'offsets.topic.num.partitions=4',
    'group.initial.rebalance.delay.ms=0',
    // A frame of 1 MiB and what surrounds it.
    'message.max.bytes=2097152',
    'replica.fetch.max.bytes=2097152',
    // Many small topics in little memory: the defaults reserve 128 MB of heap and 20 MB of mapped index a partition.
    'log.cleaner.dedupe.buffer.size=4194304',
    'log.index.size.max.bytes=1048576',
    'num.network.threads=2',
    'num.io.threads=4',
    ...(guarded?.settings ?? []),
  ].join('\n');
};

const javaOptions = ['-Xms128m', '-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=4'];

const layOut = async (options: KafkaOptions, folder: string): Promise<Layout> => {
  const port = options.port ?? (await freePort());
  const layout = { folder, port, controllerPort: await freePort(), guarded: options.guarded };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'server.properties'), serverProperties(layout));
  return layout;
};

/** Apache Kafka as a process of its own; resolves when it takes and hands out records. */
export const startKafka = async (options: KafkaOptions = {}): Promise<KafkaEngine> => {
  await requireJava();
  const jars = await kafkaJars();
  const folder = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'roomwire-kafka-')));
  const { port } = await layOut(options, folder);
  const brokers = `127.0.0.1:${port}`;
  const properties = join(folder, 'server.properties');
  const logFile = join(folder, 'kafka.log');
  const java = (...args: readonly string[]): string[] => [...javaOptions, '-cp', join(jars, '*'), ...args];
  let broker: EngineProcess | undefined;

  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    if (broker?.isRunning) await broker.kill(signal);
  };
  const run = async (): Promise<void> => {
    const args = java('kafka.Kafka', properties);
    broker = await startEngineProcess({ command: 'java', args, logFile });
    await whenReady(broker, () => kafkaAnswers(brokers), { withinMs: startsWithinMs, logFile });
  };
  const close = async (): Promise<void> => {
    await kill(options.dataDir ? 'SIGTERM' : 'SIGKILL');
    if (!options.dataDir) await rm(folder, { recursive: true, force: true });
  };
  try {
    await runToEnd(
      'java',
      java('kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', properties, '-g'),
    );
    await run();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    brokers,
    kill,
    pause: () => broker?.pause(),
    resume: () => broker?.resume(),
    restart: async () => {
      await kill('SIGKILL');
      await run();
    },
    close,
  };
};
