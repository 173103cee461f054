import { Option, type Command } from 'commander';
import { connect, ConnectionError, type Client, type RoomwireError, type Message } from '@roomwire/sdk';
import { exitCodes, fail } from './fail.js';

export interface ConnectionOptions {
  readonly url: string;
  readonly token?: string;
}

/** The options of every command that talks to a gateway. */
export const addConnectionOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--url <url>', 'address of the gateway')
        .env('ROOMWIRE_URL')
        .default('ws://127.0.0.1:8080/ws'),
    )
    .addOption(new Option('--token <token>', 'access token of an actor').env('ROOMWIRE_TOKEN'));

/** A client with these options; ends the command when they make none. */
export const connectOrExit = ({ url, token }: ConnectionOptions, reconnect: boolean): Client => {
  if (token === undefined || token === '')
    return fail('Give an access token with --token or ROOMWIRE_TOKEN', exitCodes.misused);
  try {
    return connect({ url, token, ...(reconnect ? {} : { reconnect: false }) });
  } catch (error) {
    return fail((error as Error).message, exitCodes.misused);
  }
};

/** One line that names the error as the protocol does, and says what helps. */
export const failWith = (error: unknown): never => {
  const { error: name, message } = error as RoomwireError;
  const reason = error instanceof ConnectionError ? error.closeReason : undefined;
  return fail([reason, name, message].filter(Boolean).join(': '));
};

export const addPublish = (program: Command): void => {
  addConnectionOptions(
    program
      .command('publish')
      .description('publish one message and wait until the service has accepted it')
      .argument('<topic>', 'app-slug/room-slug/topic-name')
      .argument('<json>', 'the message, as JSON: \'"hello"\' or \'{"text":"hello"}\''),
  ).action(publish);
};

const publish = async (topic: string, json: string, options: ConnectionOptions): Promise<void> => {
  const data = jsonOrExit(json);
  const client = connectOrExit(options, false);
  try {
    await client.ready();
    await client.publish(topic, data);
    process.stdout.write('published\n');
  } catch (error) {
    failWith(error);
  }
  await client.close();
};

const jsonOrExit = (json: string): unknown => {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return fail(
      `The message is not JSON: ${json} (a text needs quotes of its own: '"hello"')`,
      exitCodes.misused,
    );
  }
};

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
