import type { Command } from 'commander';
import type { ApiAddress } from '../../api-client/apiAnswers.js';
import { addApiOptions, apiAddressOrExit, type ApiOptions } from '../apiOptions.js';
import { exitCodes, fail } from '../fail.js';
import {
  addSessionOptions,
  firstCredentials,
  sessionOrExit,
  type SessionOptions,
} from '../sessionOptions.js';
import type { Resource } from './resourceTable.js';

export type AccessOptions = ApiOptions & SessionOptions & { readonly project?: string };

/** What opens the endpoints of a kind of record. */
interface Access {
  readonly addOptions: (command: Command) => Command;
  /** `root` is what the path of the list begins with. Ends the command where the options are not enough. */
  readonly open: (options: AccessOptions) => Promise<{ readonly api: ApiAddress; readonly root: string }>;
}

export const accessTo = ({ takesSession }: Pick<Resource, 'takesSession'>): Access =>
  takesSession ? bySession : byApiKey;

const byApiKey: Access = {
  addOptions: addApiOptions,
  open: async (options) => ({ api: apiAddressOrExit(options), root: '' }),
};

const bySession: Access = {
  addOptions: (command) =>
    addSessionOptions(command).option(
      '--project <projectId>',
      'the project; by default the first one of the data folder',
    ),
  open: async (options) => {
    const { url, sessionToken, organizationId } = await sessionOrExit(options, {
      ...{ role: 'admin', subject: 'api-keys' },
    });
    const projectId = options.project ?? (await firstProjectOf(organizationId));
    if (projectId === undefined) return fail('Give a project with --project', exitCodes.misused);
    const root = `organizations/${organizationId}/projects/${projectId}/`;
    return { api: { url, credential: sessionToken }, root };
  },
};

const firstProjectOf = async (organizationId: string): Promise<string | undefined> => {
  const first = await firstCredentials();
  return first?.organizationId === organizationId ? first.projectId : undefined;
};
