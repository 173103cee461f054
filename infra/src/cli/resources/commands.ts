import type { Command } from 'commander';
import type { ApiAddress } from '../../api-client/apiAnswers.js';
import { ApiRefused, askApi, listAll } from '../../api-client/apiRequests.js';
import { exitCodes, fail } from '../fail.js';
import { orFail } from '../apiOptions.js';
import { putSecret, requireSecretOutput, withSecretOutput, type SecretOutput } from '../secretOutput.js';
import { accessTo, type AccessOptions } from './access.js';
import { listPath, onePath, readGiven } from './addresses.js';
import { confirmOrExit } from './confirm.js';
import { addFieldOptions, bodyOf } from './fields.js';
import { resources, type Resource } from './resourceTable.js';
import { printRecord, printRecords } from './tables.js';

type Item = Readonly<Record<string, unknown>>;
type Options = AccessOptions & SecretOutput & { readonly json?: boolean; readonly yes?: boolean };

/** The commands of every kind of record: `apps list`, `rooms create`, … */
export const addResources = (program: Command): void => {
  for (const resource of resources) {
    const group = program.command(resource.name).description(`${verbsOf(resource)} ${resource.name}`);
    addList(group, resource);
    addGet(group, resource);
    addCreate(group, resource);
    if (resource.update) addUpdate(group, resource, resource.update);
    if (!resource.isNeverDeleted) addDelete(group, resource);
    resource.addMore?.(group);
  }
};

const verbsOf = ({ update, isNeverDeleted }: Resource): string => {
  if (isNeverDeleted) return 'list and create';
  return update ? 'list, create, change and delete' : 'list, create and delete';
};

const optionsOf = (command: Command, resource: Resource): Command =>
  accessTo(resource).addOptions(command).option('--json', 'as JSON', false);

const addList = (group: Command, resource: Resource): void => {
  const command = group.command('list').description(`list the ${resource.name}`);
  if (resource.within) command.argument(`<${resource.within.argument}>`);
  optionsOf(command, resource).action((...given) => {
    const { options, parts } = readGiven<Options>(given, resource.within?.argument);
    return orFail(async () => {
      const { api, root } = await accessTo(resource).open(options);
      const records: Item[] = [];
      for await (const record of listAll(api, await listPath(resource, api, root, parts), resource.paging))
        records.push(record);
      printRecords(records, resource.columns, options);
    });
  });
};

const addGet = (group: Command, resource: Resource): void => {
  const command = group
    .command('get')
    .description(`show all fields of one`)
    .argument(`<${resource.one.argument}>`);
  optionsOf(command, resource).action((...given) => {
    const { options, parts } = readGiven<Options>(given, resource.one.argument);
    return orFail(async () => {
      const { api, root } = await accessTo(resource).open(options);
      const record = await find(resource, api, root, parts);
      printRecord(record, options);
    });
  });
};

const addCreate = (group: Command, resource: Resource): void => {
  const { within, secret, create } = resource;
  const command = group.command('create').description(`create one, and print its fields`);
  if (within) command.argument(`<${within.argument}>`);
  addFieldOptions(command, create);
  if (secret) withSecretOutput(command);
  optionsOf(command, resource).action((...given) => {
    const { options, parts } = readGiven<Options>(given, within?.argument);
    if (secret && !options.json) requireSecretOutput(options, resource.record);
    return orFail(async () => {
      const { api, root } = await accessTo(resource).open(options);
      const path = await listPath(resource, api, root, parts);
      const made = await askApi<Item>(api, path, { method: 'POST', body: bodyOf(command, create) });
      await printMade(resource, made, options);
    });
  });
};

const addUpdate = (group: Command, resource: Resource, schema: object): void => {
  const command = group
    .command('update')
    .description('change fields of one')
    .argument(`<${resource.one.argument}>`);
  const fields = schema as Readonly<Record<string, unknown>>;
  addFieldOptions(command, fields);
  optionsOf(command, resource).action((...given) => {
    const { options, parts } = readGiven<Options>(given, resource.one.argument);
    const body = bodyOf(command, fields);
    if (Object.keys(body).length === 0) fail('Name a field to change', exitCodes.misused);
    return orFail(async () => {
      const { api, root } = await accessTo(resource).open(options);
      const record = await askApi<Item>(api, await onePath(resource, api, root, parts), {
        method: 'PATCH',
        body,
      });
      printRecord(record, options);
    });
  });
};

const addDelete = (group: Command, resource: Resource): void => {
  const { record, one, takesAlong } = resource;
  const command = group
    .command('delete')
    .description(takesAlong ? `delete one, and ${takesAlong}` : 'delete one')
    .argument(`<${one.argument}>`)
    .option('--yes', 'do not ask for confirmation', false);
  accessTo(resource)
    .addOptions(command)
    .action((...given) => {
      const { options, parts, name } = readGiven<Options>(given, one.argument);
      return orFail(async () => {
        const { api, root } = await accessTo(resource).open(options);
        const path = await onePath(resource, api, root, parts);
        const question = `Delete the ${record} ${name}${takesAlong ? ` and ${takesAlong}` : ''}?`;
        await confirmOrExit(question, options.yes === true);
        await askApi(api, path, { method: 'DELETE' });
        process.stdout.write('deleted\n');
      });
    });
};

const find = async (resource: Resource, api: ApiAddress, root: string, parts: readonly string[]) => {
  if (!resource.isListedOnly) return askApi<Item>(api, await onePath(resource, api, root, parts));
  const name = parts.at(-1) as string;
  const list = await listPath(resource, api, root, parts.slice(0, -1));
  for await (const record of listAll(api, list, resource.paging))
    if (record[resource.one.idField] === name || record['keyId'] === name) return record;
  throw new ApiRefused(`There is no ${resource.record} ${name}`, 404);
};

const printMade = async ({ secret, record }: Resource, made: Item, options: Options): Promise<void> => {
  if (secret === undefined || options.output === undefined) return printRecord(made, options);
  const { [secret]: hidden, ...shown } = made;
  await putSecret(options, record, String(hidden));
  printRecord(shown, options);
};
