import { join } from 'node:path';
import { Option, type Command } from 'commander';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { mintSessionToken } from '@roomwire/shared/credentials/sessionToken';
import { ConfigError, readConfig } from '../config/config.js';
import { readJsonFile } from '../secrets/keptSecrets.js';
import { exitCodes, fail } from './fail.js';

interface TokenOptions {
  readonly org: readonly string[];
  readonly operator: boolean;
  readonly subject: string;
  readonly hours: string;
}

const longestSeconds = 10 * 365 * 24 * 3600;

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

export const addToken = (program: Command): void => {
  program
    .command('token')
    .description('mint a user session token for the organization endpoints and print it')
    .addOption(
      new Option('--org <organizationId>', 'an organization that the session may use (repeatable)')
        .argParser(collect)
        .default([], 'none'),
    )
    .option('--operator', 'a session of the service’s own staff', false)
    .option('--subject <name>', 'who the session is for', 'cli')
    .option('--hours <hours>', 'how long it is valid', '12')
    .action(mint);
};

const mint = async ({ org, operator, subject, hours }: TokenOptions): Promise<void> => {
  const lifetime = Math.round(Number(hours) * 3600);
  if (!(lifetime >= 1 && lifetime <= longestSeconds))
    fail('--hours must be a number above 0, of at most ten years', exitCodes.misused);
  const strange = org.find((id) => !isUuid(id));
  if (strange !== undefined)
    fail(`--org takes the UUID of an organization, not ${strange}`, exitCodes.misused);
  if (org.length === 0 && !operator)
    fail('Name an organization with --org, or use --operator', exitCodes.misused);
  const session = { subject, organizationIds: org, isOperator: operator };
  const token = await mintSessionToken(await sessionSecret(), session, lifetime, systemClock);
  process.stdout.write(`${token}\n`);
};

const sessionSecret = async (): Promise<Uint8Array> => {
  try {
    const { sessionSecret: configured, dataDir } = readConfig(process.env);
    if (configured !== undefined) return configured;
    const kept = await readJsonFile<{ sessionSecret: string }>(join(dataDir, 'secrets.json'));
    if (kept !== undefined) return Buffer.from(kept.sessionSecret, 'base64');
    return fail(`No session secret: set ROOMWIRE_SESSION_SECRET, or start Roomwire once on ${dataDir}`);
  } catch (error) {
    if (error instanceof ConfigError) return fail(error.message, exitCodes.misused);
    throw error;
  }
};
