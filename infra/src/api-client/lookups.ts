import { isUuid } from '@roomwire/command-api/http/request';
import type { ApiAddress } from './apiAnswers.js';
import { ApiRefused, askApi, listAll } from './apiRequests.js';

const notFound = (what: string, name: string): ApiRefused =>
  new ApiRefused(`There is no ${what} ${name} in the project`, 404);

/*
 * Each takes an id or the name that people use for it, resolves with the id, and rejects with `ApiRefused`.
 */

/** Of an app, by its slug. The API has no filter for it. */
export const appIdOf = async (api: ApiAddress, app: string): Promise<string> => {
  if (isUuid(app)) return app;
  for await (const { appId, slug } of listAll(api, 'apps', 'page')) if (slug === app) return String(appId);
  throw notFound('app', app);
};

/** Of a room, by its slug. */
export const roomIdOf = async (api: ApiAddress, appId: string, room: string): Promise<string> => {
  if (isUuid(room)) return room;
  const path = `apps/${appId}/rooms`;
  const [found] = await askApi<readonly { readonly roomId: string }[]>(api, path, { query: { slug: room } });
  if (found === undefined) throw notFound('room', room);
  return found.roomId;
};

/** Of a room in the API, `app` and `room` by slug or id. */
export const roomPathOf = async (api: ApiAddress, app: string, room: string): Promise<string> => {
  const appId = await appIdOf(api, app);
  return `apps/${appId}/rooms/${await roomIdOf(api, appId, room)}`;
};

/** Of a worker group in the list at this path, by its name, which groups of other topics and scopes may have too. */
export const jobGroupIdOf = async (api: ApiAddress, name: string, list: string): Promise<string> => {
  if (isUuid(name)) return name;
  const named: string[] = [];
  for await (const group of listAll(api, list, 'cursor'))
    if (group['name'] === name) named.push(String(group['groupId']));
  const [found, another] = named;
  if (found === undefined) throw new ApiRefused(`There is no worker group ${name} in the room`, 404);
  if (another !== undefined)
    throw new ApiRefused(`Several worker groups are called ${name}: name one by its id`);
  return found;
};

interface ScopePage {
  readonly data: readonly { readonly accessScopeId: string }[];
}

/** Of an access scope, by its slug. */
export const scopeIdOf = async (api: ApiAddress, scope: string): Promise<string> => {
  if (isUuid(scope)) return scope;
  const { data } = await askApi<ScopePage>(api, 'scopes', { query: { slug: scope } });
  const [found] = data;
  if (found === undefined) throw notFound('access scope', scope);
  return found.accessScopeId;
};

/** Of a signing key or an API key, in the list at this path, by its public `keyId`; `idField` is where its id is. */
export const keyIdOf = async (
  api: ApiAddress,
  path: string,
  idField: string,
  key: string,
): Promise<string> => {
  if (isUuid(key)) return key;
  for await (const record of listAll(api, path, 'page'))
    if (record['keyId'] === key) return String(record[idField]);
  throw notFound('key', key);
};
