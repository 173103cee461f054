import { InvalidArgumentError, Option, type Command } from 'commander';
import { askApi } from '../../api-client/apiRequests.js';
import { jobGroupIdOf, roomPathOf } from '../../api-client/lookups.js';
import { addApiOptions, apiAddressOrExit, orFail, type ApiOptions } from '../apiOptions.js';
import { exitCodes, fail } from '../fail.js';
import { printRecords } from './tables.js';

interface PeekOptions extends ApiOptions {
  readonly limit: number;
  readonly json: boolean;
}

interface Peeked {
  readonly data: readonly Readonly<Record<string, unknown>>[];
}

/** The API gives at most so many. */
const mostJobs = 100;

/** `groups peek`, beside the commands that every kind of record has. */
export const addPeek = (group: Command): void => {
  const command = group
    .command('peek')
    .description('show the oldest jobs without taking them')
    .argument('<app/room/group>')
    .addOption(new Option('--limit <jobs>', 'the most to list').argParser(readLimit).default(10))
    .option('--json', 'as JSON', false);
  addApiOptions(command).action(peek);
};

const readLimit = (text: string): number => {
  if (!/^[1-9]\d{0,2}$/.test(text) || Number(text) > mostJobs)
    throw new InvalidArgumentError(`It must be a number from 1 to ${mostJobs}.`);
  return Number(text);
};

const peek = async (place: string, options: PeekOptions): Promise<void> => {
  const [app, room, group, ...rest] = place.split('/');
  if (!app || !room || !group || rest.length > 0)
    return fail('Name a worker group as app/room/group', exitCodes.misused);
  const api = apiAddressOrExit(options);
  await orFail(async () => {
    const list = `${await roomPathOf(api, app, room)}/groups`;
    const path = `${list}/${await jobGroupIdOf(api, group, list)}/jobs`;
    const { data } = await askApi<Peeked>(api, path, { query: { limit: options.limit } });
    const columns = ['at', 'deliveries', 'actorTokenId', 'filter', 'data', 'msgId'];
    printRecords(data, columns, options);
  });
};
