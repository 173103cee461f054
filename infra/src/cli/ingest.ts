import { Option, type Command } from 'commander';
import { createWinstonLogger } from '@roomwire/shared/adapters/system/winstonLogger';
import { reasonOf } from '@roomwire/shared/runtime/outage';
import { logLevels } from '../config/config.js';
import { brokersOf, readKafkaSecurity } from '../engines/kafkaSecurity.js';
import { createVariableReader } from '../environment.js';
import { ingest, RecordRefused } from '../ingest/ingest.js';
import { openKafkaRecords, type KafkaSource, type OpenedRecords } from '../ingest/openKafkaRecords.js';
import { createRecordMapping, type RecordMapping } from '../ingest/recordMapping.js';
import { valueKinds, type ValueKind } from '../ingest/recordValues.js';
import type { SourceRecord } from '../ingest/sourceRecord.js';
import { BatchSender } from '../publishing/batchSender.js';
import { PublishRefused } from '../publishing/publishApi.js';
import { addApiOptions, publishApiOrExit, type ApiOptions } from './apiOptions.js';
import { exitCodes, fail, say } from './fail.js';

interface IngestOptions extends ApiOptions {
  readonly brokers: string;
  readonly topic: string;
  readonly to: string;
  readonly group?: string;
  readonly fromBeginning?: boolean;
  readonly value: ValueKind;
  readonly filter?: string;
  readonly skip?: boolean;
}

const prefix = 'ROOMWIRE_INGEST_KAFKA_';

export const addIngest = (program: Command): void => {
  const command = program
    .command('ingest')
    .description('publish messages from other systems')
    .command('kafka')
    .description('publish each record of a Kafka topic once, until interrupted')
    .addOption(
      new Option('--brokers <list>', 'host:port, separated by commas')
        .env(`${prefix}BROKERS`)
        .makeOptionMandatory(),
    )
    .requiredOption('--topic <topic>', 'the topic on Kafka')
    .requiredOption('--to <address>', 'app/room/topic, with {key} and {header:NAME} of the record')
    .option('--group <name>', 'the consumer group; by default derived from the topic and the address')
    .option('--from-beginning', 'start a new group at the first record instead of the next one')
    .addOption(
      new Option('--value <kind>', 'format of the values')
        .choices(Object.keys(valueKinds))
        .default('json' satisfies ValueKind),
    )
    .option('--filter <filter>', 'the filter of the messages, with {key} and {header:NAME}')
    .option('--skip', 'skip records that cannot be published, instead of ending');
  addApiOptions(command).action(runUntilSignal);
};

const runUntilSignal = async (options: IngestOptions): Promise<void> => {
  const settings = settingsOrExit(options);
  const { source } = settings;
  const mapping = mappingOrExit(options);
  const api = publishApiOrExit(options);
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort());
  const { signal } = stopping;
  const opened = await openOrExit(settings, signal);
  if (opened === undefined) return;
  say(`Publishing ${source.topic} to ${options.to}, as ${source.groupId}`);
  const told = (record: SourceRecord, why: string): string => `${placeOf(source, record)}: ${why}`;
  let problem: string | undefined;
  try {
    await ingest({
      ...{ source: opened.records, mapping, signal, passesOver: options.skip ?? false },
      sender: new BatchSender({ api, signal, attempts: Infinity, onTrouble: say }),
      onPassedOver: (record, why) => say(told(record, why)),
    });
  } catch (error) {
    if (error instanceof RecordRefused) problem = told(error.record, error.message);
    else if (error instanceof PublishRefused) problem = error.message;
    else if (!signal.aborted) throw error;
  }
  await opened.close();
  if (problem !== undefined) fail(problem);
};

interface Settings {
  readonly source: KafkaSource;
  readonly logLevel: string;
}

const settingsOrExit = ({ brokers: list, topic, to, group, fromBeginning }: IngestOptions): Settings => {
  const problems: string[] = [];
  const read = createVariableReader(process.env, problems);
  const security = readKafkaSecurity(read, problems, prefix);
  const logLevel = read.oneOf('ROOMWIRE_LOG_LEVEL', 'warn', logLevels);
  const brokers = brokersOf(list);
  if (brokers === undefined) problems.push('--brokers must be host:port, several with commas between them');
  if (problems.length > 0) fail(problems.join('; '), exitCodes.misused);
  // With another address it is another purpose, which has read nothing yet.
  const groupId = group ?? `roomwire-ingest ${topic} ${to}`;
  return {
    source: { brokers: brokers ?? [], security, topic, groupId, fromBeginning: fromBeginning ?? false },
    logLevel,
  };
};

const mappingOrExit = ({ topic, to, value, filter }: IngestOptions): RecordMapping => {
  try {
    return createRecordMapping({ topic, to, value, ...(filter === undefined ? {} : { filter }) });
  } catch (error) {
    if (error instanceof TypeError) return fail(error.message, exitCodes.misused);
    throw error;
  }
};

/** Undefined where it is interrupted before. */
const openOrExit = async (
  { source, logLevel }: Settings,
  signal: AbortSignal,
): Promise<OpenedRecords | undefined> => {
  try {
    return await openKafkaRecords(source, createWinstonLogger(logLevel), signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    return fail(`Kafka: ${reasonOf(error)}`);
  }
};

const placeOf = ({ topic }: KafkaSource, { partition, offset }: SourceRecord): string =>
  `${topic}:${partition}:${offset}`;
