import type { Command } from 'commander';
import { addWebhookCircuits } from './webhookCircuits.js';
import { outcomeLine, watchOutcomes, WatchRefused, type ShownOutcome } from './watchOutcomes.js';
import { fail } from './fail.js';
import { addSessionOptions, sessionOrExit, type SessionOptions } from './sessionOptions.js';

interface TailOptions extends SessionOptions {
  readonly project?: string;
  readonly app?: string;
  readonly failed?: boolean;
  readonly json?: boolean;
}

export const addWebhooks = (program: Command): void => {
  const webhooks = program.command('webhooks').description('inspect webhook calls');
  const command = webhooks
    .command('tail')
    .description('print the outcome of each attempt of a webhook call as it happens, until interrupted');
  addSessionOptions(command)
    .option('--project <projectId>', 'only calls of this project')
    .option('--app <appId>', 'only calls of this app')
    .option('--failed', 'only attempts without a 2xx')
    .option('--json', 'a line of JSON for each attempt')
    .action(tail);
  addWebhookCircuits(webhooks);
};

const tail = async (options: TailOptions): Promise<void> => {
  const { project, app, failed, json } = options;
  const { url, sessionToken, organizationId } = await sessionOrExit(options, {
    ...{ role: 'viewer', subject: 'webhooks tail' },
  });
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  const lineOf = json ? (outcome: ShownOutcome) => JSON.stringify(outcome) : outcomeLine;
  try {
    await watchOutcomes({
      ...{ url, sessionToken, organizationId, signal: stopping.signal },
      filter: {
        ...(project === undefined ? {} : { projectId: project }),
        ...(app === undefined ? {} : { appId: app }),
        ...(failed ? { failed: 'true' } : {}),
      },
      onReady: () => say(`Watching the webhook calls of the organization ${organizationId}`),
      onOutcome: (outcome) => void process.stdout.write(`${lineOf(outcome)}\n`),
      onTrouble: say,
    });
  } catch (error) {
    if (error instanceof WatchRefused) fail(error.message);
    throw error;
  }
};

/** The outcomes alone go to standard output. */
const say = (message: string): void => void process.stderr.write(`${message}\n`);
