import type { Command } from 'commander';
import { askApi } from '../../api-client/apiRequests.js';
import { orFail } from '../apiOptions.js';
import { exitCodes, fail } from '../fail.js';
import { accessTo, type AccessOptions } from './access.js';
import { listPath, onePath, readGiven } from './addresses.js';
import { addFieldOptions, bodyOf } from './fields.js';
import { impactText, type ImpactAnswer } from './impactText.js';
import { resources, type Change, type Resource } from './resourceTable.js';
import { print } from './tables.js';

type Options = AccessOptions & { readonly json: boolean };

const methods = { create: 'POST', update: 'PATCH', delete: 'DELETE' } as const satisfies Record<
  Change,
  string
>;

/** The commands that change records, with `impact` before them: they say whom that would cut off, and change nothing. */
export const addImpact = (program: Command): void => {
  const impact = program
    .command('impact')
    .description('say whom a change of an app, a room, a grant or an actor would cut off now');
  for (const resource of resources) {
    const { name, mayCutOff } = resource;
    if (mayCutOff === undefined) continue;
    const group = impact.command(name).description(`what ${mayCutOff.join(' and ')} would end`);
    for (const change of mayCutOff) addChange(group, resource, change);
  }
};

const addChange = (group: Command, resource: Resource, change: Change): void => {
  const argument = change === 'create' ? resource.within?.argument : resource.one.argument;
  const command = group.command(change).description(`as ${resource.name} ${change}, without doing it`);
  if (argument !== undefined) command.argument(`<${argument}>`);
  const schema = change === 'delete' ? undefined : resource[change];
  if (schema !== undefined) addFieldOptions(command, schema);
  accessTo(resource)
    .addOptions(command)
    .option('--json', 'as JSON', false)
    .action((...given) => {
      const { options, parts } = readGiven<Options>(given, argument);
      const body = schema && bodyOf(command, schema);
      if (body !== undefined && Object.keys(body).length === 0)
        fail('Name a field to change', exitCodes.misused);
      return orFail(async () => {
        const { api, root } = await accessTo(resource).open(options);
        const path = await (change === 'create' ? listPath : onePath)(resource, api, root, parts);
        const assumed = { method: methods[change], path: `/v1/${path}`, ...(body && { body }) };
        const impact = await askApi<ImpactAnswer>(api, 'impact', { method: 'POST', body: assumed });
        print(impact, options, () => impactText(impact));
      });
    });
};
