import { Option, type Command } from 'commander';
import type { Role } from '@roomwire/shared/domain/role';
import { readCount } from './readCount.js';
import type { ApiAddress } from '../api-client/apiAnswers.js';
import { askApi, listAll } from '../api-client/apiRequests.js';
import { orFail } from './apiOptions.js';
import { printRecords } from './resources/tables.js';
import { addSessionOptions, sessionOrExit, type SessionOptions } from './sessionOptions.js';

interface ListOptions extends SessionOptions {
  readonly project?: string;
  readonly actor?: string;
  readonly room?: string;
  readonly state?: string;
  readonly limit: number;
  readonly json: boolean;
}

type Item = Readonly<Record<string, unknown>>;

const columns = [
  ...['connectedAt', 'closedAt', 'closeReason', 'actorTokenId', 'sdk', 'address', 'subscriptions'],
  'connectionId',
];
const entryColumns = ['at', 'kind', 'topic', 'filters', 'group', 'code', 'reason', 'rule', 'messageId'];

export const addConnections = (program: Command): void => {
  const group = program
    .command('connections')
    .description('current and recent connections of an organization');
  addSessionOptions(group.command('list').description('list them, newest first'))
    .option('--project <projectId>', 'only those of this project')
    .option('--actor <actorTokenId>', 'only those of this actor')
    .option('--room <app/room>', 'only connections that were subscribed in this room')
    .addOption(new Option('--state <state>', 'only connections in this state').choices(['open', 'closed']))
    .addOption(new Option('--limit <connections>', 'the most to list').argParser(readCount).default(100))
    .option('--json', 'as JSON', false)
    .action(list);
  addSessionOptions(
    group.command('timeline').description('show the history of one connection').argument('<connectionId>'),
  )
    .option('--json', 'as JSON', false)
    .action(timeline);
  addSessionOptions(
    group
      .command('close')
      .description('close connections; their clients may reconnect')
      .argument('<connectionId...>'),
  ).action(close);
};

const open = async (
  options: SessionOptions,
  role: Role,
): Promise<{ readonly api: ApiAddress; readonly path: string }> => {
  const { url, sessionToken, organizationId } = await sessionOrExit(options, {
    role,
    subject: 'connections',
  });
  return { api: { url, credential: sessionToken }, path: `organizations/${organizationId}/connections` };
};

const list = (options: ListOptions): Promise<void> =>
  orFail(async () => {
    const { api, path } = await open(options, 'viewer');
    const { project: projectId, actor: actorId, room, state, limit } = options;
    const found: Item[] = [];
    for await (const connection of listAll(api, path, 'cursor', { projectId, actorId, room, state })) {
      found.push(connection);
      if (found.length === limit) break;
    }
    printRecords(found, columns, options);
  });

const timeline = (id: string, options: SessionOptions & { readonly json: boolean }): Promise<void> =>
  orFail(async () => {
    const { api, path } = await open(options, 'viewer');
    const entries: Item[] = [];
    for await (const entry of listAll(api, `${path}/${encodeURIComponent(id)}/timeline`, 'cursor'))
      entries.push(entry);
    printRecords(entries, entryColumns, options);
  });

const close = (ids: readonly string[], options: SessionOptions): Promise<void> =>
  orFail(async () => {
    const { api, path } = await open(options, 'editor');
    for (const id of ids) {
      await askApi(api, `${path}/${encodeURIComponent(id)}`, { method: 'DELETE' });
      process.stdout.write(`closed ${id}\n`);
    }
  });
