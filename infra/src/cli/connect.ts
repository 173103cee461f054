import { InvalidArgumentError, Option, type Command } from 'commander';
import { connect, ConnectionError, type Client, type RoomwireError } from '@roomwire/sdk';
import { addApiKeyOption, type ApiOptions } from './apiOptions.js';
import { exitCodes, fail } from './fail.js';
import { publishStdin } from './publishStdin.js';
import { addServerOptions, serverOrExit, type ServerOptions } from './serverOptions.js';

export interface ConnectionOptions extends ServerOptions {
  readonly token?: string;
}

/** The options of every command that talks to a gateway. */
export const addConnectionOptions = (command: Command): Command =>
  addServerOptions(command).addOption(
    new Option('--token <token>', 'access token of an actor, or a client token').env('ROOMWIRE_TOKEN'),
  );

/** A client with these options; ends the command when they make none. */
export const connectOrExit = (options: ConnectionOptions, reconnect: boolean): Client => {
  const { gatewayUrl: url, kept } = serverOrExit(options);
  const token = options.token || kept?.token;
  if (token === undefined)
    return fail(
      'Give an access token with --token or ROOMWIRE_TOKEN, or run roomwire login',
      exitCodes.misused,
    );
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

interface PublishCommandOptions extends ConnectionOptions, ApiOptions {
  readonly id?: string;
  readonly at?: Date;
  readonly stdin?: boolean;
}

export const addPublish = (program: Command): void => {
  const command = program
    .command('publish')
    .description('publish a message, or each line of standard input, and wait until the service has accepted')
    .argument('[topic]', 'app-slug/room-slug/topic-name')
    .argument('[json]', 'the message, as JSON: \'"hello"\' or \'{"text":"hello"}\'')
    .option(
      '--id <id>',
      'of several publishes with the same id only one is delivered; with --stdin, a prefix for the number of the line',
    )
    .addOption(
      new Option('--at <time>', 'when to deliver it, e.g. 2026-12-24T18:00:00Z; at most 30 days ahead')
        .argParser(readTime)
        .conflicts('stdin'),
    )
    .option(
      '--stdin',
      'each line is a message as JSON, {"topic":…,"data":…}, or the data where a topic is named; needs an API key',
    );
  addApiKeyOption(addConnectionOptions(command)).action(publish);
};

const readTime = (text: string): Date => {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('It must be a time such as 2026-12-24T18:00:00Z.');
  return time;
};

const publish = async (
  topic: string | undefined,
  json: string | undefined,
  options: PublishCommandOptions,
): Promise<void> => {
  if (options.stdin && json !== undefined)
    fail('With --stdin the messages come from standard input', exitCodes.misused);
  if (options.stdin) return publishStdin(topic, options);
  if (topic === undefined || json === undefined)
    return fail('Name a topic and a message, or use --stdin', exitCodes.misused);
  return publishOne(topic, jsonOrExit(json), options);
};

const publishOne = async (topic: string, data: unknown, options: PublishCommandOptions): Promise<void> => {
  const { id, at: deliverAt } = options;
  const client = connectOrExit(options, false);
  try {
    await client.ready();
    if (id !== undefined && !client.features.includes('idempotency'))
      fail('This service knows no ids: without --id the message may be published twice');
    const { duplicate, scheduledId } = await client.publish(topic, data, {
      ...(id !== undefined && { id }),
      ...(deliverAt !== undefined && { deliverAt }),
    });
    const what = scheduledId === undefined ? 'published' : `scheduled as ${scheduledId}`;
    process.stdout.write(`${what}${duplicate ? ' before' : ''}\n`);
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
