import type { Command } from 'commander';
import type { Role } from '@roomwire/shared/domain/role';
import type { ApiAddress } from '../api-client/apiAnswers.js';
import { askApi, listAll } from '../api-client/apiRequests.js';
import { orFail } from './apiOptions.js';
import { exitCodes, fail } from './fail.js';
import { tableOf } from './resources/tables.js';
import { addSessionOptions, firstCredentials, sessionOrExit, type SessionOptions } from './sessionOptions.js';

interface CircuitOptions extends SessionOptions {
  readonly project?: string;
}

type Item = Readonly<Record<string, unknown>>;

const columns = ['openedAt', 'calls', 'url'];

/** [HOOK-CIRCUIT-4] Below `roomwire webhooks`. */
export const addWebhookCircuits = (webhooks: Command): void => {
  const project = ['--project <projectId>', 'by default that of the first start'] as const;
  addSessionOptions(
    webhooks.command('circuits').description('endpoints that do not answer: their calls wait'),
  )
    .option(...project)
    .option('--json', 'as JSON', false)
    .action(list);
  addSessionOptions(
    webhooks
      .command('close-circuit')
      .description('have the calls made that wait for these endpoints')
      .argument('<url...>'),
  )
    .option(...project)
    .action(close);
};

const open = async (
  options: CircuitOptions,
  role: Role,
): Promise<{ readonly api: ApiAddress; readonly path: string }> => {
  const session = await sessionOrExit(options, { role, subject: 'webhook circuits' });
  const { url, sessionToken, organizationId } = session;
  const first = await firstCredentials();
  const projectId =
    options.project ?? (first?.organizationId === organizationId ? first.projectId : undefined);
  if (projectId === undefined) return fail('Give a project with --project', exitCodes.misused);
  return {
    api: { url, credential: sessionToken },
    path: `organizations/${organizationId}/projects/${encodeURIComponent(projectId)}/webhook-circuits`,
  };
};

const list = (options: CircuitOptions & { readonly json: boolean }): Promise<void> =>
  orFail(async () => {
    // A viewer is not shown what a URL may carry, and `close-circuit` takes the whole URL.
    const { api, path } = await open(options, 'editor');
    const circuits: Item[] = [];
    for await (const circuit of listAll(api, path, 'offset')) circuits.push(circuit);
    process.stdout.write(
      options.json ? `${JSON.stringify(circuits, undefined, 2)}\n` : tableOf(circuits, columns),
    );
  });

const close = (urls: readonly string[], options: CircuitOptions): Promise<void> =>
  orFail(async () => {
    const { api, path } = await open(options, 'editor');
    for (const url of urls) {
      const { closed } = await askApi<{ readonly closed: boolean }>(api, `${path}/close`, {
        method: 'POST',
        body: { url },
      });
      process.stdout.write(`${closed ? 'closed' : 'was not open:'} ${url}\n`);
    }
  });
