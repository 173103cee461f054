import { createdActor, type Actor } from '@roomwire/shared/domain/actor';
import { createdApp, type App } from '@roomwire/shared/domain/app';
import { createdOrganization, unlimitedPlan } from '@roomwire/shared/domain/organization';
import { createdProject } from '@roomwire/shared/domain/project';
import { createdGrant, createdRoom, type Grant, type Room } from '@roomwire/shared/domain/room';
import { createdScope, type Scope } from '@roomwire/shared/domain/scope';
import { mintToken } from '@roomwire/shared/credentials/secretToken';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import type { Viewed } from '@roomwire/shared/wire/views/views';

const at = '2026-01-01T00:00:00.000Z';
const createdPosition = '0000000000000001';

/** Records as the read models hold them, with as little of their own as a test needs to say. */
export const organization = (organizationId: string) => ({
  ...createdOrganization({ organizationId, name: 'Acme', plan: unlimitedPlan }, at),
  createdPosition,
});

export const project = (projectId: string, organizationId: string) => ({
  ...createdProject({ projectId, organizationId, name: 'Chat' }, at),
  createdPosition,
});

export const app = (projectId: string, slug: string, fields: Partial<App> = {}): Viewed<App> => ({
  ...createdApp(
    {
      appId: systemRandom.uuid(),
      projectId,
      name: slug,
      slug,
      description: null,
      blueprintId: null,
      blueprintVersion: null,
      pinnedBlueprintVersion: false,
      config: {},
      topics: ['news', 'chat'],
      topicConfigs: {},
      hydrationWebhook: null,
      triggerWebhook: null,
      dependencies: null,
      files: null,
      framework: null,
    },
    at,
  ),
  createdPosition,
  ...fields,
});

export const room = (
  owner: Pick<App, 'appId' | 'projectId'>,
  slug: string,
  fields: Partial<Room> = {},
): Viewed<Room> => ({
  ...createdRoom(
    {
      roomId: systemRandom.uuid(),
      appId: owner.appId,
      projectId: owner.projectId,
      name: slug,
      slug,
      description: null,
      topics: ['news', 'chat'],
      metadata: {},
      origin: 'api',
    },
    at,
  ),
  createdPosition,
  ...fields,
});

/** An actor and its access token. */
export const actor = (
  projectId: string,
  fields: Partial<Actor> = {},
): { readonly record: Viewed<Actor>; readonly token: string } => {
  const { keyId, token, secretHash } = mintToken(systemRandom, 'at_live');
  const record = {
    ...createdActor(
      {
        actorTokenId: systemRandom.uuid(),
        projectId,
        accessScopeId: null,
        scopeMembershipId: null,
        keyId,
        name: 'actor',
        actorType: 'device',
        expiresAt: null,
        metadata: null,
        secretHash,
      },
      at,
    ),
    createdPosition,
    ...fields,
  };
  return { record, token };
};

/** A grant of all permissions on a room; the caller adds the holder. */
export const grant = (
  on: Pick<Room, 'roomId' | 'appId' | 'projectId'>,
  fields: Partial<Grant>,
): Viewed<Grant> => ({
  ...createdGrant(
    {
      roomActorAccessId: systemRandom.uuid(),
      appId: on.appId,
      roomId: on.roomId,
      projectId: on.projectId,
      actorTokenId: null,
      actorType: null,
      permission: 'pubSub',
      topics: null,
      expiresAt: null,
      isActive: true,
      role: null,
      metadata: null,
    },
    at,
  ),
  createdPosition,
  ...fields,
});

export const scope = (projectId: string, slug: string, fields: Partial<Scope> = {}): Viewed<Scope> => ({
  ...createdScope(
    {
      accessScopeId: systemRandom.uuid(),
      projectId,
      slug,
      name: slug.toUpperCase(),
      description: null,
      metadata: null,
    },
    at,
  ),
  createdPosition,
  ...fields,
});
