import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import { Option, type Command } from 'commander';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { mintSessionToken } from '@roomwire/shared/credentials/sessionToken';
import type { Role } from '@roomwire/shared/domain/role';
import type { ApiAddress } from '../api-client/apiAnswers.js';
import { isAtHand } from '../config/secureAddress.js';
import { readJsonFile } from '../secrets/keptSecrets.js';
import { readSessionSecret } from '../secrets/sessionSecret.js';
import type { Credentials } from '../standalone/firstStart.js';
import { configOrFail } from './configOrFail.js';
import { exitCodes, fail } from './fail.js';
import { addServerOptions, serverOrExit, type ServerOptions } from './serverOptions.js';

export interface SessionOptions extends ServerOptions {
  readonly session?: string;
  readonly org?: string;
}

/** The options of every command for an organization, which takes a user session. */
export const addSessionOptions = (command: Command): Command =>
  addServerOptions(command)
    .addOption(
      new Option(
        '--session <token>',
        'a user session token; by default one is minted for the first organization of the data folder, if the service is on this machine',
      ).env('ROOMWIRE_SESSION_TOKEN'),
    )
    .option('--org <organizationId>', 'the organization; by default that of the session');

export interface ProjectOptions extends SessionOptions {
  readonly project?: string;
}

/** As `addSessionOptions`, for what belongs to a project. */
export const addProjectOptions = (command: Command): Command =>
  addSessionOptions(command).option(
    '--project <projectId>',
    'the project; by default the first one of the data folder',
  );

export interface OrganizationSession {
  /** Of the REST API, without `/v1`. */
  readonly url: string;
  readonly sessionToken: string;
  readonly organizationId: string;
}

/** Ends the command when the options are not enough. `role` is that of a session which is minted for the command alone. */
export const sessionOrExit = async (
  options: SessionOptions,
  { role, subject }: { readonly role: Role; readonly subject: string },
): Promise<OrganizationSession> => {
  const { apiUrl, kept } = serverOrExit(options);
  // What the secret of the data folder signs is not sent elsewhere, where it could be used against the service of that folder.
  const first = isAtHand(new URL(apiUrl)) ? await firstCredentials() : undefined;
  const sessionToken =
    options.session ??
    kept?.session ??
    (first && (await minted(options.org ?? first.organizationId, role, subject)));
  if (sessionToken === undefined)
    return fail(
      'Give a session token with --session or ROOMWIRE_SESSION_TOKEN, or run roomwire login',
      exitCodes.misused,
    );
  const organizationId = options.org ?? onlyOrganization(sessionToken);
  if (organizationId === undefined)
    return fail('The session names no organization, or several: give one with --org', exitCodes.misused);
  return { url: apiUrl, sessionToken, organizationId };
};

/** As `sessionOrExit`; `path` is that of the project in the API. */
export const projectOrExit = async (
  options: ProjectOptions,
  need: { readonly role: Role; readonly subject: string },
): Promise<{ readonly api: ApiAddress; readonly path: string }> => {
  const { url, sessionToken, organizationId } = await sessionOrExit(options, need);
  const projectId = options.project ?? (await firstProjectOf(organizationId));
  if (projectId === undefined) return fail('Give a project with --project', exitCodes.misused);
  const path = `organizations/${organizationId}/projects/${encodeURIComponent(projectId)}`;
  return { api: { url, credential: sessionToken }, path };
};

const firstProjectOf = async (organizationId: string): Promise<string | undefined> => {
  const first = await firstCredentials();
  return first?.organizationId === organizationId ? first.projectId : undefined;
};

/** What the first start wrote into the data folder; undefined where there is none. */
export const firstCredentials = (): Promise<Credentials | undefined> =>
  readJsonFile<Credentials>(join(configOrFail().dataDir, 'credentials.json'));

const mintedSeconds = 12 * 60 * 60;

/** Whoever can read the data folder can mint any session: this one can do what the command does, for half a day. */
const minted = async (organizationId: string, role: Role, subject: string): Promise<string | undefined> => {
  const secret = await readSessionSecret(configOrFail());
  if (secret === undefined) return undefined;
  const organizationIds = [organizationId];
  const session = { subject, organizationIds, isOperator: false, roles: { [organizationId]: role } };
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
