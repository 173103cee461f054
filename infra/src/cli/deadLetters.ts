import { Option, type Command } from 'commander';
import { deadLetterKinds, deadLetterStatuses } from '@roomwire/shared/domain/deadLetter';
import { readCount } from './readCount.js';
import type { ApiAddress } from '../api-client/apiAnswers.js';
import { askApi, listAll } from '../api-client/apiRequests.js';
import { orFail } from './apiOptions.js';
import { exitCodes, fail } from './fail.js';
import { printRecord, printRecords, recordLines } from './resources/tables.js';
import { addSessionOptions, sessionOrExit, type SessionOptions } from './sessionOptions.js';

interface ListOptions extends SessionOptions {
  readonly kind?: string;
  readonly project?: string;
  readonly app?: string;
  readonly target?: string;
  readonly status?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit: number;
  readonly json: boolean;
}

interface RedriveOptions extends SessionOptions {
  readonly all: boolean;
  readonly status?: string;
  readonly project?: string;
  readonly app?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
  readonly dryRun: boolean;
  readonly wait: boolean;
}

type Item = Readonly<Record<string, unknown>>;

const columns = ['createdAt', 'kind', 'status', 'responseStatus', 'retryCount', 'url', 'error', 'dlqId'];

export const addDeadLetters = (program: Command): void => {
  const group = program
    .command('dead-letters')
    .description('webhook calls, jobs and scheduled messages that failed for good');
  addSessionOptions(group.command('list').description('list them, newest first'))
    .addOption(new Option('--kind <kind>', 'only those of this kind').choices(deadLetterKinds))
    .addOption(new Option('--status <status>', 'only those with this status').choices(deadLetterStatuses))
    .option('--project <projectId>', 'only those of this project')
    .option('--app <appId>', 'only those of this app')
    .option('--target <url>', 'only those of this webhook, by its full URL')
    .option('--from <time>', 'only those recorded at or after this time')
    .option('--to <time>', 'only those recorded at or before this time')
    .addOption(new Option('--limit <entries>', 'the most to list').argParser(readCount).default(100))
    .option('--json', 'as JSON', false)
    .action(list);
  addSessionOptions(group.command('get').description('show one, with what was sent').argument('<dlqId>'))
    .option('--json', 'as JSON', false)
    .action(get);
  addSessionOptions(
    group.command('redrive').description('retry the given ones, or all that match').argument('[dlqId...]'),
  )
    .option('--all', 'all that match the options below, oldest first', false)
    .addOption(new Option('--status <status>', 'only those with this status').choices(['pending', 'failed']))
    .option('--project <projectId>', 'only those of this project')
    .option('--app <appId>', 'only those of this app')
    .option('--from <time>', 'only those recorded at or after this time')
    .option('--to <time>', 'only those recorded at or before this time')
    .addOption(new Option('--limit <entries>', 'the most to retry').argParser(readCount))
    .option('--dry-run', 'only count them', false)
    .option('--wait', 'wait for the outcome of each given one', false)
    .action(redrive);
};

const open = async (
  options: SessionOptions,
): Promise<{ readonly api: ApiAddress; readonly path: string }> => {
  const { url, sessionToken, organizationId } = await sessionOrExit(options, {
    // A viewer is not shown what was sent, nor may send it again.
    ...{ role: 'editor', subject: 'dead-letters' },
  });
  return { api: { url, credential: sessionToken }, path: `organizations/${organizationId}/webhook-dlq` };
};

const list = (options: ListOptions): Promise<void> =>
  orFail(async () => {
    const { api, path } = await open(options);
    const { kind, project: projectId, app: appId, target: url, status, from, to, limit } = options;
    const query = { kind, projectId, appId, url, status, from, to };
    const entries: Item[] = [];
    for await (const entry of listAll(api, path, 'offset', query)) {
      entries.push(entry);
      if (entries.length === limit) break;
    }
    printRecords(entries, columns, options);
  });

const get = (dlqId: string, options: SessionOptions & { readonly json: boolean }): Promise<void> =>
  orFail(async () => {
    const { api, path } = await open(options);
    const entry = await askApi<Item>(api, `${path}/${encodeURIComponent(dlqId)}`);
    printRecord(entry, options);
  });

const redrive = async (ids: readonly string[], options: RedriveOptions): Promise<void> => {
  if (options.all === ids.length > 0)
    fail('Name dead letters by their ids, or give --all', exitCodes.misused);
  if (options.dryRun && !options.all) fail('--dry-run counts what --all would redrive', exitCodes.misused);
  if (options.wait && options.all) fail('--wait is for those that are named', exitCodes.misused);
  await orFail(async () => {
    const { api, path } = await open(options);
    if (options.all) return redriveMatching(api, path, options);
    const redriveOne = options.wait ? redriveAndWait : redriveNow;
    for (const id of ids) await redriveOne(api, `${path}/${encodeURIComponent(id)}/redrive`, id);
  });
};

const redriveNow = async (api: ApiAddress, path: string, id: string): Promise<void> => {
  await askApi(api, path, { method: 'POST' });
  process.stdout.write(`redriven ${id}\n`);
};

interface Outcome {
  readonly delivered: boolean;
  readonly error: string | null;
}

/** Longer than the API waits. */
const patienceMs = 45_000;

const redriveAndWait = async (api: ApiAddress, path: string, id: string): Promise<void> => {
  const query = { wait: 'true' };
  const { delivered, error } = await askApi<Outcome>(api, path, { method: 'POST', query, patienceMs });
  if (!delivered) process.exitCode = exitCodes.failed;
  process.stdout.write(
    delivered ? `delivered ${id}\n` : `not delivered ${id}: ${error ?? 'not known within 30 s'}\n`,
  );
};

const redriveMatching = async (api: ApiAddress, path: string, options: RedriveOptions): Promise<void> => {
  const { status, project: projectId, app: appId, from, to, limit, dryRun } = options;
  const body = { status, projectId, appId, from, to, limit, dryRun };
  const answer = await askApi<Item>(api, `${path}/redrive`, { method: 'POST', body });
  process.stdout.write(recordLines(answer));
};
