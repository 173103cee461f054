import type { Command } from 'commander';
import type { Client, Message } from '@roomwire/sdk';
import { addConnectionOptions, connectOrExit, failWith, type ConnectionOptions } from './connection.js';

export const addListen = (program: Command): void => {
  addConnectionOptions(
    program
      .command('listen')
      .description('print each message of a topic as a line of JSON, until interrupted')
      .argument('<topic>', 'app-slug/room-slug/topic-name'),
  ).action(listen);
};

const listen = async (topic: string, options: ConnectionOptions): Promise<void> => {
  const client = connectOrExit(options, true);
  reportConnection(client);
  try {
    const subscription = await client.subscribe(topic, print);
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

/** A connection that comes and goes is worth a word; the messages alone go to standard output. */
const reportConnection = (client: Client): void => {
  client.on('state', (state) => {
    if (state.name !== 'waiting') return;
    const seconds = Math.ceil(state.retryInMs / 1000);
    process.stderr.write(`${state.reason.message}; trying again in ${seconds} s\n`);
  });
};

const print = ({ topic, data, filter, msgId }: Message): void => {
  process.stdout.write(`${JSON.stringify({ topic, data, filter, msgId }, jsonValue)}\n`);
};

/** What JSON cannot hold, as the webhooks show it too: bytes as base64, long integers as text. */
function jsonValue(this: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
  // Of a Buffer, `value` is what its own toJSON has made of it already.
  const original = this[name];
  if (original instanceof Uint8Array) return Buffer.from(original).toString('base64');
  return typeof value === 'bigint' ? value.toString() : value;
}
