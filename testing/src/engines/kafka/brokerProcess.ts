import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kafkaAnswers } from '@roomwire/shared/adapters/message-bus/kafka/inspectKafka';
import { cachedFolder } from '../cachedFolder.js';
import { type EngineProcess, isInstalled, runToEnd, startEngineProcess, whenReady } from '../childProcess.js';

/** The newest one that Roomwire supports; a run on another one names it. */
export const kafkaVersion = process.env['ROOMWIRE_TEST_KAFKA_VERSION'] || '4.4.0';
const pom = fileURLToPath(new URL('../../../../engines/kafka/pom.xml', import.meta.url));

/** The folder with everything a broker needs, from Maven Central the first time. */
const kafkaJars = (): Promise<string> =>
  cachedFolder(`kafka-${kafkaVersion}`, async (folder) => {
    await requireCommand('mvn', 'maven');
    await runToEnd('mvn', [
      '-q',
      '-B',
      '-f',
      pom,
      'dependency:copy-dependencies',
      `-Dkafka.version=${kafkaVersion}`,
      `-DoutputDirectory=${folder}`,
    ]);
  });

const requireCommand = async (command: string, debianPackage: string): Promise<void> => {
  if (await isInstalled(command)) return;
  throw new Error(
    `Kafka for the tests needs the command ${command}, which is not installed. Debian: apt-get install ${debianPackage}`,
  );
};

export const requireJava = (): Promise<void> => requireCommand('java', 'openjdk-17-jre-headless');

/** As in `server.properties`, for every broker of the tests. */
export const commonSettings: readonly string[] = [
  'controller.listener.names=CONTROLLER',
  // A missing topic must be an error, and not be created with default settings.
  'auto.create.topics.enable=false',
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
];

const javaOptions = ['-Xms128m', '-Xmx512m', '-XX:+UseSerialGC'];
const startsWithinMs = 60_000;
/** Any 16 bytes as base64: they name the cluster in the files that `StorageTool` makes. */
const clusterId = 'cm9vbXdpcmUtdGVzdC1rZg';

export interface BrokerOptions {
  /** Exists; keeps the settings, the log file and the data. */
  readonly folder: string;
  /** Where clients connect: host and port. */
  readonly address: string;
  /** Lines of `server.properties`, without the folder of the data. */
  readonly settings: readonly string[];
  /** Options of the virtual machine. */
  readonly java?: readonly string[];
}

export interface KafkaBroker {
  /** Where clients connect: host and port. */
  readonly address: string;
  /** Resolves when the broker takes and hands out records. */
  start(): Promise<void>;
  /** Resolves when the broker has ended. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** The broker stays connected and answers nothing. */
  pause(): void;
  resume(): void;
}

/** Formats the files of a broker that is not started yet. Rejects where Java or Maven is missing. */
export const prepareBroker = async (options: BrokerOptions): Promise<KafkaBroker> => {
  const { folder, address, settings } = options;
  await requireJava();
  const classPath = join(await kafkaJars(), '*');
  const properties = join(folder, 'server.properties');
  const logFile = join(folder, 'kafka.log');
  const java = (...args: readonly string[]): string[] => [
    ...javaOptions,
    ...(options.java ?? []),
    ...['-cp', classPath, ...args],
  ];
  await writeFile(properties, [...settings, `log.dirs=${join(folder, 'data')}`].join('\n'));
  await runToEnd('java', java('kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', properties, '-g'));
  let broker: EngineProcess | undefined;
  return {
    address,
    start: async () => {
      const args = java('kafka.Kafka', properties);
      broker = await startEngineProcess({ command: 'java', args, logFile });
      await whenReady(broker, () => kafkaAnswers(address), { withinMs: startsWithinMs, logFile });
    },
    kill: async (signal) => {
      if (broker?.isRunning) await broker.kill(signal);
    },
    pause: () => broker?.pause(),
    resume: () => broker?.resume(),
  };
};
