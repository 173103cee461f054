import { Option, type Command } from 'commander';
import { readCount } from './readCount.js';
import { readHistory, type HistoryQuestion } from '../history/readHistory.js';
import { addApiOptions, apiAddressOrExit, orFail, type ApiOptions } from './apiOptions.js';
import { exitCodes, fail, say } from './fail.js';

interface HistoryOptions extends ApiOptions {
  readonly scope?: string;
  readonly before?: string;
  readonly after?: string;
  readonly limit: number;
}

export const addHistory = (program: Command): void => {
  const command = program
    .command('history')
    .description('print the history of a topic, each message as a line of JSON, newest first')
    .argument('<topic>', 'app-slug/room-slug/topic-name')
    .option('--scope <scope>', 'the id or the slug of an access scope')
    .option('--before <position>', 'messages before this position, newest first')
    .addOption(
      new Option(
        '--after <position>',
        'those behind this position, the oldest first; an empty one is the beginning',
      ).conflicts('before'),
    )
    .addOption(new Option('--limit <messages>', 'the most to list').argParser(readCount).default(100));
  addApiOptions(command).action(history);
};

const history = async (address: string, options: HistoryOptions): Promise<void> => {
  const api = apiAddressOrExit(options);
  const question = questionOrExit(address, options);
  await orFail(async () => {
    let next: string | undefined;
    for await (const part of readHistory(api, question)) {
      if (part.gap) say(`Messages are missing here: ${part.gap.reason}`);
      for (const message of part.data) process.stdout.write(`${JSON.stringify(message)}\n`);
      ({ next } = part);
    }
    if (next !== undefined)
      say(`There are more: ${options.after === undefined ? '--before' : '--after'} ${next}`);
  });
};

const questionOrExit = (
  address: string,
  { scope, before, after, limit }: HistoryOptions,
): HistoryQuestion => {
  const [appSlug, roomSlug, topic, ...rest] = address.split('/');
  if (!appSlug || !roomSlug || !topic || rest.length > 0)
    return fail('Name a topic as app-slug/room-slug/topic-name', exitCodes.misused);
  const from = after !== undefined ? { after } : before !== undefined ? { before } : undefined;
  return { ...{ appSlug, roomSlug, topic, scope, from, limit } };
};
