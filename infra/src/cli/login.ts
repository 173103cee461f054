import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Option, type Command } from 'commander';
import type { ApiAddress } from '../api-client/apiAnswers.js';
import { ApiRefused, askApi } from '../api-client/apiRequests.js';
import { addApiOptions, orFail, type ApiOptions } from './apiOptions.js';
import { isAtHand } from '../config/secureAddress.js';
import { exitCodes, fail } from './fail.js';
import { defaultProfile, profilesFile, writeProfile, type Profile } from './profiles.js';
import { addressesOf, defaultUrl } from './serverOptions.js';
import { firstCredentials } from './sessionOptions.js';

interface LoginOptions extends ApiOptions {
  readonly session?: string;
  readonly token?: string;
}

export const addLogin = (program: Command): void => {
  const login = program
    .command('login')
    .description(
      'store the address of a service, and credentials for it, for all other commands; by default it uses the credentials in the data folder, or asks for an API key',
    );
  addApiOptions(login)
    .addOption(new Option('--session <token>', 'a user session token').env('ROOMWIRE_SESSION_TOKEN'))
    .addOption(new Option('--token <token>', 'access token of an actor').env('ROOMWIRE_TOKEN'))
    .action(keep);
  program
    .command('logout')
    .description('remove what `roomwire login` has stored')
    .option('--profile <name>', 'which profile', defaultProfile)
    .action(({ profile }: { readonly profile: string }) => {
      writeProfile(profile, undefined);
      process.stdout.write(`Forgotten: ${profile}\n`);
    });
};

type Credentials = Pick<Profile, 'apiKey' | 'session' | 'token'>;

const keep = async (options: LoginOptions): Promise<void> => {
  const { url = defaultUrl, apiUrl, profile } = options;
  const addresses = addressesOf(url, apiUrl);
  if (addresses === undefined)
    return fail(`--url must be the address of a service, like ${defaultUrl}`, exitCodes.misused);
  const credentials = await credentialsOf(options, addresses.apiUrl);
  await orFail(() => check(addresses.apiUrl, credentials));
  writeProfile(profile, { url, ...(apiUrl && { apiUrl }), ...credentials });
  const kept = Object.keys(credentials).map((name) => shownNames[name as keyof Credentials]);
  process.stdout.write(
    `Stored ${kept.join(', ')} for ${addresses.apiUrl} in ${profilesFile()}${profile === defaultProfile ? '' : `, as ${profile}`}\n`,
  );
};

const shownNames = { apiKey: 'an API key', session: 'a session', token: 'an access token' } as const;

const credentialsOf = async ({ apiKey, session, token }: LoginOptions, api: string): Promise<Credentials> => {
  const given = { ...(apiKey && { apiKey }), ...(session && { session }), ...(token && { token }) };
  if (Object.keys(given).length > 0) return given;
  // Those of the data folder are for the service that runs on it, which is at hand: they are not sent elsewhere.
  const first = isAtHand(new URL(api)) ? await firstCredentials() : undefined;
  if (first) return { apiKey: first.apiKey, session: first.sessionToken };
  return { apiKey: await askedFor('API key: ') };
};

/** Is not shown while it is typed; a pipe is read as it is. */
const askedFor = async (question: string): Promise<string> => {
  if (process.stdin.isTTY) process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({
    ...{ input: process.stdin, output: nowhere, terminal: process.stdin.isTTY },
  });
  const [line = ''] = await Promise.race([
    terminal.question('').then((text) => [text]),
    new Promise<string[]>((resolve) => terminal.once('close', () => resolve([]))),
  ]);
  terminal.close();
  if (process.stdin.isTTY) process.stderr.write('\n');
  return line.trim() || fail('Give an API key with --api-key or ROOMWIRE_API_KEY', exitCodes.misused);
};

/** Nothing is kept that the service does not take. A key that may do something else than this is one, too. */
const check = async (url: string, { apiKey, session }: Credentials): Promise<void> => {
  if (apiKey) await accepted({ url, credential: apiKey }, 'apps');
  if (session) await accepted({ url, credential: session }, 'organizations');
};

const accepted = async (api: ApiAddress, path: string): Promise<void> => {
  try {
    await askApi(api, path, { query: { limit: 1 } });
  } catch (error) {
    if (!(error instanceof ApiRefused && error.status === 403)) throw error;
  }
};
