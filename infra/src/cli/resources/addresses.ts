import type { ApiAddress } from '../../api-client/apiAnswers.js';
import { exitCodes, fail } from '../fail.js';
import type { Resource } from './resourceTable.js';

/** Commander gives the arguments, the options and the command. Ends the command where the argument has other parts, e.g. than `app/room`. */
export const readGiven = <O>(given: readonly unknown[], argument: string | undefined) => {
  const options = given.at(-2) as O;
  if (argument === undefined) return { options, parts: [], name: '' };
  const name = given[0] as string;
  const parts = name.split('/');
  const wanted = argument.split('/');
  if (parts.length !== wanted.length || parts.includes(''))
    fail(`Name it as ${argument}, not ${name}`, exitCodes.misused);
  return { options, parts, name };
};

/** Of the list in the API; `root` is what it begins with. Rejects with `ApiRefused`. */
export const listPath = async (
  resource: Resource,
  api: ApiAddress,
  root: string,
  parts: readonly string[],
): Promise<string> => (resource.within ? resource.within.path(api, parts) : `${root}${resource.name}`);

/** Of one record in the API. Rejects with `ApiRefused`. */
export const onePath = async (
  resource: Resource,
  api: ApiAddress,
  root: string,
  parts: readonly string[],
): Promise<string> => {
  const list = await listPath(resource, api, root, parts.slice(0, -1));
  const name = parts.at(-1) as string;
  return `${list}/${encodeURIComponent(resource.idOf ? await resource.idOf(api, name, list) : name)}`;
};
