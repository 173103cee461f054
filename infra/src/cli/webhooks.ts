import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import { Option, type Command } from 'commander';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { mintSessionToken } from '@roomwire/shared/credentials/sessionToken';
import { readJsonFile } from '../secrets/keptSecrets.js';
import { readSessionSecret } from '../secrets/sessionSecret.js';
import type { Credentials } from '../standalone/firstStart.js';
import { outcomeLine, watchOutcomes, WatchRefused, type ShownOutcome } from './watchOutcomes.js';
import { configOrFail } from './configOrFail.js';
import { exitCodes, fail } from './fail.js';

interface TailOptions {
  readonly url: string;
  readonly session?: string;
  readonly org?: string;
  readonly project?: string;
  readonly app?: string;
  readonly failed?: boolean;
  readonly json?: boolean;
}

export const addWebhooks = (program: Command): void => {
  program
    .command('webhooks')
    .description('inspect webhook calls')
    .command('tail')
    .description('print the outcome of each attempt of a webhook call as it happens, until interrupted')
    .addOption(
      new Option('--url <url>', 'address of the REST API')
        .env('ROOMWIRE_API_URL')
        .default('http://127.0.0.1:8080'),
    )
    .addOption(
      new Option(
        '--session <token>',
        'a user session token; by default one is minted for the first organization of the data folder',
      ).env('ROOMWIRE_SESSION_TOKEN'),
    )
    .option('--org <organizationId>', 'the organization; by default the one that the session names')
    .option('--project <projectId>', 'only calls of this project')
    .option('--app <appId>', 'only calls of this app')
    .option('--failed', 'only attempts without a 2xx')
    .option('--json', 'a line of JSON for each attempt')
    .action(tail);
};

const tail = async (options: TailOptions): Promise<void> => {
  const { url, project, app, failed, json } = options;
  if (!URL.canParse(url) || !/^https?:/.test(url))
    fail('--url must be an address that begins with http:// or https://', exitCodes.misused);
  const { sessionToken, organizationId } = await sessionOf(options);
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

const sessionOf = async ({ session, org }: TailOptions) => {
  const sessionToken = session ?? (await mintedSession(org));
  if (sessionToken === undefined)
    return fail('Give a session token with --session or ROOMWIRE_SESSION_TOKEN', exitCodes.misused);
  const organizationId = org ?? onlyOrganization(sessionToken);
  if (organizationId === undefined)
    return fail('The session names no organization, or several: give one with --org', exitCodes.misused);
  return { sessionToken, organizationId };
};

const mintedSeconds = 12 * 60 * 60;

/** Whoever can read the data folder can mint any session: this one only looks, for half a day. */
const mintedSession = async (org: string | undefined): Promise<string | undefined> => {
  const config = configOrFail();
  const first = await readJsonFile<Credentials>(join(config.dataDir, 'credentials.json'));
  const secret = first && (await readSessionSecret(config));
  if (first === undefined || secret === undefined) return undefined;
  const organizationId = org ?? first.organizationId;
  const session = {
    ...{ subject: 'webhooks tail', organizationIds: [organizationId], isOperator: false },
    roles: { [organizationId]: 'viewer' as const },
  };
  return mintSessionToken(secret, session, mintedSeconds, systemClock);
};

/** Reads the token without checking it, which the API does. */
const onlyOrganization = (token: string): string | undefined => {
  try {
    const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
    const { orgs } = JSON.parse(claims) as { readonly orgs?: unknown };
    return Array.isArray(orgs) && orgs.length === 1 ? String(orgs[0]) : undefined;
  } catch {
    return undefined;
  }
};
