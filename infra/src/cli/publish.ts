import type { Command } from 'commander';
import { addConnectionOptions, connectOrExit, failWith, type ConnectionOptions } from './connection.js';
import { exitCodes, fail } from './fail.js';

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
