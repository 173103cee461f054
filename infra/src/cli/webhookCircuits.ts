import type { Command } from 'commander';
import type { ApiAddress } from '../api-client/apiAnswers.js';
import { askApi, listAll } from '../api-client/apiRequests.js';
import { orFail } from './apiOptions.js';
import { printRecords } from './resources/tables.js';
import { addProjectOptions, projectOrExit, type ProjectOptions } from './sessionOptions.js';

type Item = Readonly<Record<string, unknown>>;

const columns = ['openedAt', 'calls', 'url'];

/** [HOOK-CIRCUIT-4] Below `roomwire webhooks`. */
export const addWebhookCircuits = (webhooks: Command): void => {
  addProjectOptions(
    webhooks.command('circuits').description('list endpoints that do not answer and whose calls are on hold'),
  )
    .option('--json', 'as JSON', false)
    .action(list);
  addProjectOptions(
    webhooks.command('close-circuit').description('resume the calls to these endpoints').argument('<url...>'),
  ).action(close);
};

const open = async (
  options: ProjectOptions,
): Promise<{ readonly api: ApiAddress; readonly circuits: string }> => {
  // A viewer is not shown what a URL may carry, and `close-circuit` takes the whole URL.
  const { api, path } = await projectOrExit(options, { role: 'editor', subject: 'webhook circuits' });
  return { api, circuits: `${path}/webhook-circuits` };
};

const list = (options: ProjectOptions & { readonly json: boolean }): Promise<void> =>
  orFail(async () => {
    const { api, circuits } = await open(options);
    const found: Item[] = [];
    for await (const circuit of listAll(api, circuits, 'offset')) found.push(circuit);
    printRecords(found, columns, options);
  });

const close = (urls: readonly string[], options: ProjectOptions): Promise<void> =>
  orFail(async () => {
    const { api, circuits } = await open(options);
    for (const url of urls) {
      const { closed } = await askApi<{ readonly closed: boolean }>(api, `${circuits}/close`, {
        method: 'POST',
        body: { url },
      });
      process.stdout.write(`${closed ? 'closed' : 'was not open:'} ${url}\n`);
    }
  });
