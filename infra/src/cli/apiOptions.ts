import { Option, type Command } from 'commander';
import type { ApiAddress } from '../api-client/apiAnswers.js';
import { ApiRefused } from '../api-client/apiRequests.js';
import { createPublishApi, type PublishApi } from '../publishing/publishApi.js';
import { exitCodes, fail } from './fail.js';
import { addServerOptions, serverOrExit, type ServerOptions } from './serverOptions.js';

export interface ApiOptions extends ServerOptions {
  readonly apiKey?: string;
}

/** For a command that has the options of a server already. */
export const addApiKeyOption = (command: Command): Command =>
  command.addOption(new Option('--api-key <key>', 'API key of the project').env('ROOMWIRE_API_KEY'));

/** The options of every command that uses the REST API with an API key. */
export const addApiOptions = (command: Command): Command => addApiKeyOption(addServerOptions(command));

/** Ends the command when the options are not enough. */
export const apiAddressOrExit = (options: ApiOptions): ApiAddress => {
  const { apiUrl, kept } = serverOrExit(options);
  const credential = options.apiKey || kept?.apiKey;
  if (credential === undefined)
    return fail(
      'Give an API key with --api-key or ROOMWIRE_API_KEY, or run roomwire login',
      exitCodes.misused,
    );
  return { url: apiUrl, credential };
};

/** As above. */
export const publishApiOrExit = (options: ApiOptions): PublishApi =>
  createPublishApi(apiAddressOrExit(options));

/** What is done with the API; a refusal ends the command with the line that the API gives. */
export const orFail = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiRefused) return fail(error.message);
    throw error;
  }
};
