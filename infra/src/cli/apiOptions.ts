import { Option, type Command } from 'commander';
import type { ApiAddress } from '../publishing/apiAnswers.js';
import { createPublishApi, type PublishApi } from '../publishing/publishApi.js';
import { exitCodes, fail } from './fail.js';

export interface ApiOptions {
  readonly apiUrl: string;
  readonly apiKey?: string;
}

/** The options of every command that uses the REST API with an API key. */
export const addApiOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--api-url <url>', 'address of the REST API')
        .env('ROOMWIRE_API_URL')
        .default('http://127.0.0.1:8080'),
    )
    .addOption(new Option('--api-key <key>', 'API key of the project').env('ROOMWIRE_API_KEY'));

/** Ends the command when the options are not enough. */
export const apiAddressOrExit = ({ apiUrl, apiKey }: ApiOptions): ApiAddress => {
  if (!URL.canParse(apiUrl) || !/^https?:/.test(apiUrl))
    return fail('--api-url must be an address that begins with http:// or https://', exitCodes.misused);
  if (apiKey === undefined || apiKey === '')
    return fail('Give an API key with --api-key or ROOMWIRE_API_KEY', exitCodes.misused);
  return { url: apiUrl, apiKey };
};

/** As above. */
export const publishApiOrExit = (options: ApiOptions): PublishApi =>
  createPublishApi(apiAddressOrExit(options));
