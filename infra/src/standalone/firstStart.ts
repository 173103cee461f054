import type { CommandHandler } from '@roomwire/command-api/handling/commandHandler';
import { apiKeyTarget } from '@roomwire/command-api/api-keys/decider';
import { organizationTarget } from '@roomwire/command-api/organizations/decider';
import { projectTarget } from '@roomwire/command-api/projects/decider';
import { hashSecret, mintToken, parseToken } from '@roomwire/shared/credentials/secretToken';
import { mintSessionToken, type NewSession } from '@roomwire/shared/credentials/sessionToken';
import { unlimitedPlan } from '@roomwire/shared/domain/organization';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Random } from '@roomwire/shared/ports/random';
import { consoleLink } from './consoleLink.js';
import { readJsonFile, writeJsonFile } from '../secrets/keptSecrets.js';

/** What the first start creates, so that a new user can begin at once. */
export interface Credentials {
  readonly organizationId: string;
  readonly projectId: string;
  readonly apiKeyId: string;
  readonly apiKey: string;
  readonly sessionToken: string;
}

export interface FirstStartDeps {
  readonly file: string;
  readonly sessionSecret: Uint8Array;
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly random: Random;
}

/** Whom the first session is for, and the first link to the console. */
export const firstOperator = (organizationId: string): NewSession => ({
  ...{ subject: 'operator', organizationIds: [organizationId], isOperator: true },
});

/** Until the end of the day on which somebody tries Roomwire; `roomwire token` mints the next. */
const operatorSessionSeconds = 12 * 60 * 60;

/**
 * Makes an organization, a project, an API key and an operator session, the first time that a data folder is used.
 * The credentials are kept before anything is appended, so a start that was interrupted is finished by the next.
 * Resolves with them when this start was the first.
 */
export const provisionFirstStart = async (
  deps: FirstStartDeps,
  logIsEmpty: boolean,
): Promise<Credentials | undefined> => {
  const kept = await readJsonFile<Credentials>(deps.file);
  const credentials = kept ?? (logIsEmpty ? await makeCredentials(deps) : undefined);
  if (credentials === undefined || (await isProvisioned(deps.commands, credentials))) return undefined;
  await provision(deps, credentials);
  return credentials;
};

const makeCredentials = async ({
  file,
  sessionSecret,
  clock,
  random,
}: FirstStartDeps): Promise<Credentials> => {
  const organizationId = random.uuid();
  const session = firstOperator(organizationId);
  const credentials = {
    organizationId,
    projectId: random.uuid(),
    apiKeyId: random.uuid(),
    apiKey: mintToken(random, 'ak_live').token,
    sessionToken: await mintSessionToken(sessionSecret, session, operatorSessionSeconds, clock),
  };
  await writeJsonFile(file, credentials);
  return credentials;
};

/** The organization comes last, so that where it is, everything is. */
const isProvisioned = (commands: CommandHandler, { organizationId }: Credentials): Promise<boolean> =>
  commands.inspect(organizationTarget(organizationId), (organization) => organization !== undefined);

const everything = { permissions: null, allowedAddresses: null };

const provision = async (
  { commands, clock, random }: FirstStartDeps,
  { organizationId, projectId, apiKeyId, apiKey }: Credentials,
): Promise<void> => {
  const { keyId, secret } = parseToken(apiKey, 'ak_live') ?? { keyId: '', secret: '' };
  const context = {
    occurredAt: new Date(clock.now()).toISOString(),
    organizationId,
    projectId,
    principal: 'system',
    requestId: random.uuid(),
  };
  const fields = {
    apiKeyId,
    organizationId,
    projectId,
    keyId,
    name: 'First key',
    expiresAt: null,
    ...everything,
  };
  const none = () => undefined;
  await commands.execute(
    apiKeyTarget(apiKeyId),
    { type: 'CreateApiKey', apiKey: { ...fields, secretHash: hashSecret(secret) } },
    context,
    none,
  );
  await commands.execute(
    projectTarget(projectId),
    { type: 'CreateProject', project: { projectId, organizationId, name: 'First project' } },
    context,
    none,
  );
  await commands.execute(
    organizationTarget(organizationId),
    {
      type: 'CreateOrganization',
      organization: { organizationId, name: 'First organization', plan: unlimitedPlan },
    },
    { ...context, projectId: null },
    none,
  );
};

/** What is shown of the first start. */
export interface FirstStart {
  readonly credentialsFile: string;
  readonly credentials: Credentials;
  /** Of the console. */
  readonly signInCode: string;
}

/**
 * Printed on the first start: how to begin, in a form to paste into a terminal. Secrets are for a terminal alone: any other
 * output, such as a journal or the log of a container, is kept, and read by others.
 */
export const firstSession = (
  baseUrl: string,
  { credentialsFile, credentials, signInCode }: FirstStart,
  isTerminal: boolean,
): string => `
Roomwire made your first organization, project and API key.

  organization   ${credentials.organizationId}
  project        ${credentials.projectId}
${isTerminal ? shownSecrets(credentials, credentialsFile) : keptSecrets(credentialsFile)}
${isTerminal ? shownLink(consoleLink(baseUrl, signInCode)) : keptLink}
The session ends in 12 hours; "npx roomwire token --operator" mints another one.

Your first message. Paste this into a second terminal, in this folder:

field() { node -pe "JSON.parse(require('fs').readFileSync(0))['$1']"; }
API=${baseUrl}/v1 KEY=$(field apiKey < ${shellWord(credentialsFile)})
post() { curl -sS "$API/$1" -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d "$2"; }
APP=$(post apps '{"name":"demo","topics":["chat"]}')
SLUG=$(echo "$APP" | field slug)
post "apps/$(echo "$APP" | field appId)/rooms" '{"name":"lobby"}'; echo
LISTENER=$(post actors '{"name":"listener","actorType":"user"}' | field accessToken)
SENDER=$(post actors '{"name":"sender","actorType":"user"}' | field accessToken)
export ROOMWIRE_URL=${baseUrl}
echo; echo "Now send a message from a third terminal, in this folder:"
echo "  ROOMWIRE_URL=$ROOMWIRE_URL ROOMWIRE_TOKEN=$SENDER npx roomwire publish $SLUG/lobby/chat '\\"hello\\"'"; echo
ROOMWIRE_TOKEN=$LISTENER npx roomwire listen $SLUG/lobby/chat
`;

const shownSecrets = (
  { apiKey, sessionToken }: Credentials,
  file: string,
): string => `  API key        ${apiKey}
  session token  ${sessionToken}

They are kept in ${file}; this is the only time that they are printed.
`;

const shownLink = (link: string): string => `The console, signed in; the link works once, within 15 minutes:

  ${link}

"npx roomwire console" prints another one.`;

const keptLink = 'A link that signs in to the console: npx roomwire console';

const keptSecrets = (file: string): string => `
The API key and a session token are in ${file}.
`;

const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
