import type { Command } from 'commander';
import type { ApiAddress } from '../../api-client/apiAnswers.js';
import { addApiOptions, apiAddressOrExit, type ApiOptions } from '../apiOptions.js';
import { addProjectOptions, projectOrExit, type ProjectOptions } from '../sessionOptions.js';
import type { Resource } from './resourceTable.js';

export type AccessOptions = ApiOptions & ProjectOptions;

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
  addOptions: addProjectOptions,
  open: async (options) => {
    const { api, path } = await projectOrExit(options, { role: 'admin', subject: 'api-keys' });
    return { api, root: `${path}/` };
  },
};
