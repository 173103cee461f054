import { Option, type Command } from 'commander';
import { isUuid } from '@roomwire/command-api/http/request';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { mintSessionToken } from '@roomwire/shared/credentials/sessionToken';
import { roles, type Role } from '@roomwire/shared/domain/role';
import { readSessionSecret } from '../secrets/sessionSecret.js';
import { configOrFail } from './configOrFail.js';
import { exitCodes, fail } from './fail.js';
import { putSecret, requireSecretOutput, withSecretOutput, type SecretOutput } from './secretOutput.js';

interface TokenOptions extends SecretOutput {
  readonly org: readonly string[];
  readonly operator: boolean;
  readonly role?: Role;
  readonly subject: string;
  readonly hours: string;
}

const longestSeconds = 10 * 365 * 24 * 3600;

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

export const addToken = (program: Command): void => {
  withSecretOutput(program.command('token'))
    .description('mint a user session token for the organization endpoints')
    .addOption(
      new Option('--org <organizationId>', 'an organization that the session may use (repeatable)')
        .argParser(collect)
        .default([], 'none'),
    )
    .addOption(
      new Option('--role <role>', 'its role in these organizations; by default admin').choices(roles),
    )
    .option('--operator', 'a session of the service’s own staff', false)
    .option('--subject <name>', 'who the session is for', 'cli')
    .option('--hours <hours>', 'how long it is valid', '12')
    .action(mint);
};

const mint = async (options: TokenOptions): Promise<void> => {
  const { org, operator, role, subject, hours } = options;
  const lifetime = Math.round(Number(hours) * 3600);
  if (!(lifetime >= 1 && lifetime <= longestSeconds))
    fail('--hours must be a number above 0, of at most ten years', exitCodes.misused);
  const strange = org.find((id) => !isUuid(id));
  if (strange !== undefined)
    fail(`--org takes the UUID of an organization, not ${strange}`, exitCodes.misused);
  if (org.length === 0 && !operator)
    fail('Name an organization with --org, or use --operator', exitCodes.misused);
  requireSecretOutput(options, 'token');
  const session = {
    ...{ subject, organizationIds: org, isOperator: operator },
    ...(role && { roles: Object.fromEntries(org.map((id) => [id, role])) }),
  };
  const token = await mintSessionToken(await sessionSecretOrExit(), session, lifetime, systemClock);
  await putSecret(options, 'token', token);
};

/** Ends the command where there is none. */
export const sessionSecretOrExit = async (): Promise<Uint8Array> => {
  const config = configOrFail();
  return (
    (await readSessionSecret(config)) ??
    fail(`No session secret: set ROOMWIRE_SESSION_SECRET, or start Roomwire once on ${config.dataDir}`)
  );
};
