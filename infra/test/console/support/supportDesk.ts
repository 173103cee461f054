import type { ApiClient } from '../../support/apiClient.js';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { mintSessionToken } from '@roomwire/shared/credentials/sessionToken';
import { done } from '../../e2e/rest/contract/world.js';

/** A room in which one actor may publish and subscribe, and another may do nothing; its `chat` keeps messages, its `news` does not. */
export interface SupportDesk {
  readonly appId: string;
  readonly roomId: string;
  /** `app/room`, whose app has a slug that was stored with an end of its own. */
  readonly room: string;
  /** Of `chat`. */
  readonly address: string;
  readonly roomActorAccessId: string;
  readonly ada: DeskActor;
  readonly bob: DeskActor;
}

export interface DeskActor {
  readonly actorTokenId: string;
  readonly keyId: string;
  readonly accessToken: string;
}

export const makeSupportDesk = async (project: ApiClient): Promise<SupportDesk> => {
  const { appId, slug } = done(
    await project.post('/apps', {
      ...{ name: 'Support desk', slug: 'support-desk', topics: ['chat', 'news'] },
      topicConfigs: { chat: { history: {} } },
    }),
  );
  const { roomId } = done(
    await project.post(`/apps/${appId}/rooms`, { name: 'Lobby', slug: 'lobby', topics: ['chat', 'news'] }),
  );
  const actor = async (name: string): Promise<DeskActor> =>
    done(await project.post('/actors', { name, actorType: 'user' }));
  const [ada, bob] = [await actor('Ada'), await actor('Bob')];
  const grant = { permission: 'pubSub', actorTokenId: ada.actorTokenId };
  const { roomActorAccessId } = done(await project.post(`/apps/${appId}/rooms/${roomId}/actors`, grant));
  const room = `${slug}/lobby`;
  return { appId, roomId, room, address: `${room}/chat`, roomActorAccessId, ada, bob };
};

/** A session that may only look. */
export const viewerOf = (organizationId: string): Promise<string> =>
  mintSessionToken(
    new Uint8Array(32).fill(7),
    {
      ...{ subject: 'vera', organizationIds: [organizationId], isOperator: false },
      roles: { [organizationId]: 'viewer' },
    },
    3600,
    systemClock,
  );
