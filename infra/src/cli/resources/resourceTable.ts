import type { Command } from 'commander';
import { createActorSchema, updateActorSchema } from '@roomwire/command-api/actors/resource';
import { createApiKeySchema } from '@roomwire/command-api/api-keys/resource';
import { createAppSchema, updateAppSchema } from '@roomwire/command-api/apps/resource';
import type { JsonSchema } from '@roomwire/command-api/http/schema';
import { createJobGroupSchema } from '@roomwire/command-api/job-groups/resource';
import { createGrantSchema } from '@roomwire/command-api/rooms/grantResource';
import { createRoomSchema, updateRoomSchema } from '@roomwire/command-api/rooms/resource';
import { createTokenRevocationSchema } from '@roomwire/command-api/revocations/resource';
import { createScopeSchema, updateScopeSchema } from '@roomwire/command-api/scopes/resource';
import { createSigningKeySchema, updateSigningKeySchema } from '@roomwire/command-api/signing-keys/resource';
import type { ApiAddress } from '../../api-client/apiAnswers.js';
import type { Paging } from '../../api-client/apiRequests.js';
import { appIdOf, jobGroupIdOf, keyIdOf, roomIdOf, roomPathOf, scopeIdOf } from '../../api-client/lookups.js';
import { addPeek } from './peek.js';

/** How the command line names a record: `<app>`, or `<app>/<room>`, in whose list or as one of it. */
export interface Place {
  /** For the help. */
  readonly argument: string;
  /** The path of the list; `parts` are what stands between the slashes of the argument. Rejects with `ApiRefused`. */
  readonly path: (api: ApiAddress, parts: readonly string[]) => Promise<string>;
}

export type Change = 'create' | 'update' | 'delete';

/** A kind of record: what the commands `list`, `get`, `create`, `update` and `delete` of it do. */
export interface Resource {
  readonly name: string;
  /** Of one record, for what is said. */
  readonly record: string;
  readonly paging: Paging;
  /** Where its list is; undefined for a list of the project. */
  readonly within?: Place;
  /** One record. */
  readonly one: { readonly argument: string; readonly idField: string };
  /** The id of the record from what names it; without it only the id does. Rejects with `ApiRefused`. */
  readonly idOf?: (api: ApiAddress, name: string, list: string) => Promise<string>;
  /** Shown in tables. */
  readonly columns: readonly string[];
  readonly create: JsonSchema;
  /** Undefined where a record never changes. */
  readonly update?: JsonSchema;
  /** The field of the answer to `create` that is shown only there. */
  readonly secret?: string;
  /** The API has no endpoint for one record: it is looked for in the list. */
  readonly isListedOnly?: true;
  /** It belongs to a project and takes a user session. */
  readonly takesSession?: true;
  /** It ends by itself. */
  readonly isNeverDeleted?: true;
  /** Adds what can be done with this kind of record alone. */
  readonly addMore?: (group: Command) => void;
  /** The changes of it that may cut somebody off, which `impact` foretells. */
  readonly mayCutOff?: readonly Change[];
  /** What goes with a record that is deleted, besides the record. */
  readonly takesAlong?: string;
}

const roomsOfApp: Place = {
  argument: 'app',
  path: async (api, [app = '']) => `apps/${await appIdOf(api, app)}/rooms`,
};

const grantsOfRoom: Place = {
  argument: 'app/room',
  path: async (api, [app = '', room = '']) => `${await roomPathOf(api, app, room)}/actors`,
};

const groupsOfRoom: Place = {
  argument: 'app/room',
  path: async (api, [app = '', room = '']) => `${await roomPathOf(api, app, room)}/groups`,
};

export const resources: readonly Resource[] = [
  {
    ...{ name: 'apps', record: 'app', paging: 'page' },
    one: { argument: 'app', idField: 'appId' },
    idOf: appIdOf,
    columns: ['slug', 'name', 'status', 'topics', 'appId'],
    ...{ create: createAppSchema, update: updateAppSchema },
    mayCutOff: ['update', 'delete'],
    takesAlong: 'its rooms and all that they keep',
  },
  {
    ...{ name: 'rooms', record: 'room', paging: 'cursor', within: roomsOfApp },
    one: { argument: 'app/room', idField: 'roomId' },
    idOf: (api, name, list) => roomIdOf(api, list.split('/')[1] as string, name),
    columns: ['slug', 'name', 'status', 'topics', 'roomId'],
    ...{ create: createRoomSchema, update: updateRoomSchema },
    mayCutOff: ['update', 'delete'],
    takesAlong: 'its grants and all that it keeps',
  },
  {
    ...{ name: 'grants', record: 'grant', paging: 'cursor', within: grantsOfRoom },
    one: { argument: 'app/room/grant', idField: 'roomActorAccessId' },
    columns: [
      'permission',
      'actorType',
      'actorTokenId',
      'topics',
      'isActive',
      'expiresAt',
      'roomActorAccessId',
    ],
    create: createGrantSchema,
    mayCutOff: ['create', 'delete'],
    isListedOnly: true,
  },
  {
    ...{ name: 'groups', record: 'worker group', paging: 'cursor', within: groupsOfRoom },
    one: { argument: 'app/room/group', idField: 'groupId' },
    idOf: jobGroupIdOf,
    columns: ['topic', 'name', 'scope', 'depth', 'inFlight', 'oldestAt', 'members', 'groupId'],
    ...{ create: createJobGroupSchema, takesAlong: 'its jobs', addMore: addPeek },
  },
  {
    ...{ name: 'actors', record: 'actor', paging: 'cursor' },
    one: { argument: 'actor', idField: 'actorTokenId' },
    columns: ['keyId', 'name', 'actorType', 'status', 'accessScopeId', 'lastUsedAt', 'actorTokenId'],
    ...{ create: createActorSchema, update: updateActorSchema, secret: 'accessToken' },
    mayCutOff: ['update', 'delete'],
    takesAlong: 'its connections and grants',
  },
  {
    ...{ name: 'scopes', record: 'access scope', paging: 'page' },
    one: { argument: 'scope', idField: 'accessScopeId' },
    idOf: scopeIdOf,
    columns: ['slug', 'name', 'isActive', 'accessScopeId'],
    ...{ create: createScopeSchema, update: updateScopeSchema },
  },
  {
    ...{ name: 'signing-keys', record: 'signing key', paging: 'page' },
    one: { argument: 'signing-key', idField: 'signingKeyId' },
    idOf: (api, name, list) => keyIdOf(api, list, 'signingKeyId', name),
    columns: ['keyId', 'name', 'status', 'lastUsedAt', 'signingKeyId'],
    ...{ create: createSigningKeySchema, update: updateSigningKeySchema, secret: 'signingKey' },
    takesAlong: 'the validity of the tokens that it has signed',
  },
  {
    ...{ name: 'revocations', record: 'revocation', paging: 'cursor' },
    one: { argument: 'revocation', idField: 'revocationId' },
    columns: ['createdAt', 'subject', 'before', 'revocationId'],
    create: createTokenRevocationSchema,
    ...{ isListedOnly: true, isNeverDeleted: true },
  },
  {
    ...{ name: 'api-keys', record: 'API key', paging: 'page' },
    one: { argument: 'api-key', idField: 'apiKeyId' },
    idOf: (api, name, list) => keyIdOf(api, list, 'apiKeyId', name),
    columns: ['keyId', 'name', 'permissions', 'expiresAt', 'lastUsedAt', 'apiKeyId'],
    ...{ create: createApiKeySchema, secret: 'apiKey' },
    ...{ isListedOnly: true, takesSession: true },
  },
];
