import type { App } from '@roomwire/shared/domain/app';
import { eventWebhookOf, type EventWebhook } from '@roomwire/shared/domain/roomEvents';
import type { Scope } from '@roomwire/shared/domain/scope';
import { shardOf } from '@roomwire/shared/domain/shards';
import { rollKey, type Roll as StoredRollId } from '@roomwire/shared/ports/roomEventStore';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { unlessLost } from '@roomwire/shared/runtime/unlessLost';
import type { Directory } from '../access/directory.js';

/** A room in a scope, as events tell of it. */
export interface RoomPlace {
  readonly organizationId: string;
  readonly projectId: string;
  readonly appId: string;
  readonly roomId: string;
  readonly roomSlug: string;
  /** Internal. */
  readonly room: string;
  readonly scope: PlaceScope | null;
}

export interface PlaceScope {
  readonly accessScopeId: string;
  readonly slug: string;
  readonly name: string;
}

export interface FoundPlace {
  readonly place: RoomPlace;
  readonly webhook: EventWebhook;
}

export interface PlacesDeps {
  readonly directory: Pick<Directory, 'app' | 'locate' | 'peekApp'>;
  readonly views: Pick<ViewReader, 'get' | 'find' | 'admitsReaders'>;
}

/** Finds what the names of an internal room stand for, where its app has a webhook for events. */
export class EventPlaces {
  private readonly deps: PlacesDeps;

  constructor(deps: PlacesDeps) {
    this.deps = deps;
  }

  /** Whether the app of the room is known to have none. */
  isUntold(room: string): boolean {
    const [projectId, appSlug] = namesOf(room);
    const app = this.deps.directory.peekApp(projectId, appSlug);
    return app !== undefined && eventWebhookOf(app.config) === undefined;
  }

  /** Undefined for a room without such a webhook, or that does not exist. Rejects when the read models fail. */
  async find(room: string): Promise<FoundPlace | undefined> {
    const { directory, views } = this.deps;
    const [projectId, appSlug, scopeSlug, roomSlug] = namesOf(room);
    const app = await directory.app(projectId, appSlug);
    const webhook = app && eventWebhookOf(app.value.config);
    if (webhook === undefined) return undefined;
    const location = await directory.locate(projectId, appSlug, roomSlug);
    const scope = await this.scopeOf(projectId, scopeSlug);
    const project = await views.get('projects', projectId);
    if (location === undefined || scope === undefined || project === undefined) return undefined;
    const { appId } = app?.value as App;
    const { roomId } = location.room.value;
    return {
      webhook,
      place: {
        ...{ organizationId: project.organizationId, projectId, appId, roomId, roomSlug, room },
        scope: scope && { accessScopeId: scope.accessScopeId, slug: scope.slug, name: scope.name },
      },
    };
  }

  webhookIn({ config }: App): EventWebhook | undefined {
    return eventWebhookOf(config);
  }

  /** Undefined where it was deleted. Rejects when the read models fail, or have lost what they had. */
  async appOf(appId: string): Promise<App | undefined> {
    const { views } = this.deps;
    return unlessLost(views, await views.get('apps', appId));
  }

  /** Rejects as `appOf` does. */
  async roomExists(roomId: string): Promise<boolean> {
    const { views } = this.deps;
    return (await unlessLost(views, await views.get('rooms', roomId))) !== undefined;
  }

  private async scopeOf(projectId: string, slug: string): Promise<Scope | null | undefined> {
    if (slug === '_') return null;
    const [scope] = await this.deps.views.find('scopes', { filter: { projectId, slug }, limit: 1 });
    return scope;
  }
}

/** Project, app, scope and room; see `internalRoom`. */
const namesOf = (room: string): [string, string, string, string] => {
  const [projectId = '', appSlug = '', scopeSlug = '', roomSlug = ''] = room.split('/');
  return [projectId, appSlug, scopeSlug, roomSlug];
};

/** As the store knows it. */
export const rollIdOf = ({ projectId, appId, roomId, scope }: RoomPlace): StoredRollId => {
  const id = { roomId, accessScopeId: scope?.accessScopeId ?? null };
  return { ...id, projectId, appId, shard: shardOf(rollKey(id)) };
};
