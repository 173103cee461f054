import { Option, type Command } from 'commander';
import { readCount } from './readCount.js';
import { askApi, listAll } from '../api-client/apiRequests.js';
import { addApiOptions, apiAddressOrExit, orFail, type ApiOptions } from './apiOptions.js';
import { printRecords } from './resources/tables.js';

interface ListOptions extends ApiOptions {
  readonly topic?: string;
  readonly limit: number;
  readonly json: boolean;
}

type Item = Readonly<Record<string, unknown>>;

const path = 'scheduled';
const columns = ['deliverAt', 'topic', 'scope', 'actorTokenId', 'id', 'scheduledId'];

export const addScheduled = (program: Command): void => {
  const group = program.command('scheduled').description('messages that are scheduled for later');
  addApiOptions(group.command('list').description('list them, earliest first'))
    .option('--topic <topic>', 'only those for this app-slug/room-slug/topic-name')
    .addOption(new Option('--limit <publishes>', 'the most to list').argParser(readCount).default(100))
    .option('--json', 'as JSON', false)
    .action(list);
  addApiOptions(
    group.command('cancel').description('cancel scheduled messages').argument('<scheduledId...>'),
  ).action(cancel);
};

const list = async (options: ListOptions): Promise<void> => {
  const { topic, limit } = options;
  const api = apiAddressOrExit(options);
  await orFail(async () => {
    const found: Item[] = [];
    for await (const scheduled of listAll(api, path, 'cursor', { topic })) {
      found.push(scheduled);
      if (found.length === limit) break;
    }
    printRecords(found, columns, options);
  });
};

const cancel = async (ids: readonly string[], options: ApiOptions): Promise<void> => {
  const api = apiAddressOrExit(options);
  await orFail(async () => {
    for (const id of ids) {
      await askApi(api, `${path}/${encodeURIComponent(id)}`, { method: 'DELETE' });
      process.stdout.write(`cancelled ${id}\n`);
    }
  });
};
