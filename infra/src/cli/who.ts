import type { Command } from 'commander';
import { listAll } from '../api-client/apiRequests.js';
import { roomPathOf, scopeIdOf } from '../api-client/lookups.js';
import { addApiOptions, apiAddressOrExit, orFail, type ApiOptions } from './apiOptions.js';
import { exitCodes, fail } from './fail.js';
import { printRecords } from './resources/tables.js';

interface WhoOptions extends ApiOptions {
  readonly scope?: string;
  readonly json: boolean;
}

export const addWho = (program: Command): void => {
  const command = program
    .command('who')
    .description('list who is present in a room, since when, and their presence')
    .argument('<app/room>', 'slugs or ids')
    .option('--scope <scope>', 'the id or the slug of an access scope')
    .option('--json', 'as JSON', false);
  addApiOptions(command).action(who);
};

const who = async (place: string, options: WhoOptions): Promise<void> => {
  const [app, room, ...rest] = place.split('/');
  if (!app || !room || rest.length > 0) return fail('Name a room as app/room', exitCodes.misused);
  const api = apiAddressOrExit(options);
  await orFail(async () => {
    const path = `${await roomPathOf(api, app, room)}/presence`;
    const scope = options.scope === undefined ? undefined : await scopeIdOf(api, options.scope);
    const present: Readonly<Record<string, unknown>>[] = [];
    for await (const actor of listAll(api, path, 'cursor', { scope })) present.push(actor);
    const columns = ['actorTokenId', 'joinedAt', 'presence'];
    printRecords(present, columns, options);
  });
};
