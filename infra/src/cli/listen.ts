import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Client, Gap, Message, SubscribeOptions } from '@roomwire/sdk';
import { addConnectionOptions, connectOrExit, failWith, type ConnectionOptions } from './connect.js';

interface ListenOptions extends ConnectionOptions {
  readonly meta?: boolean;
  readonly own?: boolean;
  readonly last?: number;
  readonly since?: Date;
  readonly after?: string;
}

export const addListen = (program: Command): void => {
  const command = program
    .command('listen')
    .description('print each message of a topic as a line of JSON, until interrupted')
    .argument('<topic>', 'app-slug/room-slug/topic-name')
    .option(
      '--meta',
      'include the id, time and publisher of each message and, for topics with history, its position',
    )
    .option('--own', 'include messages of the same actor')
    .addOption(startOption('--last <n>', 'begin with the newest n messages').argParser(countOf))
    .addOption(
      startOption('--since <time>', 'begin with the messages since a time (ISO 8601)').argParser(timeOf),
    )
    .addOption(startOption('--after <position>', 'begin with the messages after a position'));
  addConnectionOptions(command).action(listen);
};

const starts = ['last', 'since', 'after'];

/** Where to begin in the history of the topic; nothing is missed from there on, whatever becomes of the connection. */
const startOption = (flags: string, description: string): Option =>
  new Option(flags, `${description}, and miss none across reconnects; for topics with history`).conflicts(
    starts.filter((start) => !flags.startsWith(`--${start} `)),
  );

const mostMessages = 1_000;

const countOf = (text: string): number => {
  const count = Number(text);
  if (/^\d{1,4}$/.test(text) && count <= mostMessages) return count;
  throw new InvalidArgumentError(`It must be a number from 0 to ${mostMessages}.`);
};

const timeOf = (text: string): Date => {
  const time = new Date(text);
  if (time.getTime() >= 0) return time;
  throw new InvalidArgumentError('It must be a time such as 2026-01-31T12:00:00Z.');
};

const listen = async (topic: string, options: ListenOptions): Promise<void> => {
  const { meta = false, own = false } = options;
  const client = connectOrExit(options, true);
  reportConnection(client);
  try {
    const print = (message: Message): void => printMessage(message, meta);
    const subscription = await client.subscribe(topic, print, {
      meta,
      own,
      onGap: reportGap,
      ...startOf(options),
    });
    for (const feature of ['meta', 'own'] as const)
      if (options[feature] && !client.features.includes(feature))
        process.stderr.write(`This service does not know --${feature}\n`);
    process.stderr.write(`Listening on ${topic}\n`);
    const stop = (): void => void client.close();
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
    const ended = await subscription.ended;
    if (ended !== undefined) failWith(ended);
  } catch (error) {
    failWith(error);
  }
};

const startOf = ({ last, since, after }: ListenOptions): SubscribeOptions => {
  if (after !== undefined) return { resume: { position: after } };
  if (last !== undefined) return { rewind: last, resume: true };
  return since === undefined ? {} : { rewind: { since }, resume: true };
};

const reportGap = ({ reason, after, before }: Gap): void => {
  const where = [after && `behind ${after}`, before && `before ${before}`].filter(Boolean).join(' and ');
  process.stderr.write(`Messages may be missing${where && ' '}${where}: ${reason}\n`);
};

/** A connection that comes and goes is worth a word; the messages alone go to standard output. */
const reportConnection = (client: Client): void => {
  client.on('state', (state) => {
    if (state.name !== 'waiting') return;
    const seconds = Math.ceil(state.retryInMs / 1000);
    process.stderr.write(`${state.reason.message}; trying again in ${seconds} s\n`);
  });
};

const printMessage = ({ topic, data, filter, msgId, meta }: Message, withMeta: boolean): void => {
  const shown = { topic, data, filter, msgId, ...(withMeta && { meta }) };
  process.stdout.write(`${JSON.stringify(shown, jsonValue)}\n`);
};

/** What JSON cannot hold, as the webhooks show it too: bytes as base64, long integers as text. */
function jsonValue(this: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
  // Of a Buffer, `value` is what its own toJSON has made of it already.
  const original = this[name];
  if (original instanceof Uint8Array) return Buffer.from(original).toString('base64');
  return typeof value === 'bigint' ? value.toString() : value;
}
