import { Option, type Command } from 'commander';
import { isUuid } from '@roomwire/command-api/http/request';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { mintSignInCode } from '@roomwire/shared/credentials/signInCode';
import { roles, type Role } from '@roomwire/shared/domain/role';
import { consoleLink } from '../standalone/consoleLink.js';
import { exitCodes, fail } from './fail.js';
import { putSecret, requireSecretOutput, withSecretOutput, type SecretOutput } from './secretOutput.js';
import { addServerOptions, serverOrExit, type ServerOptions } from './serverOptions.js';
import { firstCredentials } from './sessionOptions.js';
import { sessionSecretOrExit } from './token.js';

interface ConsoleOptions extends SecretOutput, ServerOptions {
  readonly org?: string;
  readonly operator: boolean;
  readonly role?: Role;
  readonly subject: string;
}

export const addConsole = (program: Command): void => {
  addServerOptions(withSecretOutput(program.command('console')))
    .description('print a link that signs in to the console, valid once and for 15 minutes')
    .option('--org <organizationId>', 'the organization that the session may use; by default the first one')
    .addOption(new Option('--role <role>', 'its role there; by default admin').choices(roles))
    .option('--operator', 'a session of the service’s own staff', false)
    .option('--subject <name>', 'who the session is for', 'cli')
    .action(print);
};

const print = async (options: ConsoleOptions): Promise<void> => {
  const { operator, role, subject } = options;
  const { apiUrl } = serverOrExit(options);
  if (options.org !== undefined && !isUuid(options.org))
    fail(`--org takes the UUID of an organization, not ${options.org}`, exitCodes.misused);
  const org = options.org ?? (operator ? undefined : (await firstCredentials())?.organizationId);
  if (org === undefined && !operator)
    fail('Name an organization with --org, or use --operator', exitCodes.misused);
  requireSecretOutput(options, 'link');
  const organizationIds = org === undefined ? [] : [org];
  const session = {
    ...{ subject, organizationIds, isOperator: operator },
    ...(role && org !== undefined && { roles: { [org]: role } }),
  };
  const code = mintSignInCode(await sessionSecretOrExit(), session, systemClock, systemRandom);
  await putSecret(options, 'link', consoleLink(apiUrl, code));
};
