import { Buffer } from 'node:buffer';
import { partitionOf } from '@roomwire/shared/adapters/message-bus/kafka/recordFormat';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { busTopics } from '@roomwire/shared/wire/bus/busTopics';
import { liveMessages } from '@roomwire/shared/wire/bus/liveMessage';
import type { Views } from '@roomwire/shared/wire/views/views';
import { createSecretBox } from '@roomwire/shared/credentials/secretBox';
import { ObserverKeys } from '@roomwire/shared/credentials/observerToken';
import { mintToken } from '@roomwire/shared/credentials/secretToken';
import type { Actor } from '@roomwire/shared/domain/actor';
import type { App } from '@roomwire/shared/domain/app';
import type { Grant, Room } from '@roomwire/shared/domain/room';
import type { Scope } from '@roomwire/shared/domain/scope';
import { createdSigningKey, type SigningKey } from '@roomwire/shared/domain/signingKey';
import type { ViewChange, ViewFilter, ViewStore } from '@roomwire/shared/ports/viewStore';
import * as records from '@roomwire/testing/builders/records';

/** Estates on engines share their read models, whose positions rise. */
let lastPosition = 0;

export const nextPosition = (): string => String(++lastPosition).padStart(16, '0');

const sealingKeys = { current: new Uint8Array(32).fill(5) };

/** An organization with a project, and what lives in it, as the read models have it. */
export class Estate {
  readonly organizationId = systemRandom.uuid();
  readonly projectId = systemRandom.uuid();
  readonly secretBox = createSecretBox(sealingKeys);
  readonly observerKeys = new ObserverKeys(sealingKeys);
  readonly views: ViewStore;
  /** The number of the last room that `roomInLine` made: each is another one. */
  private lastInLine = 0;

  constructor(views: ViewStore) {
    this.views = views;
  }

  /** Another project of the organization; gives its id. */
  async project(projectId: string = systemRandom.uuid()): Promise<string> {
    await this.put({
      put: 'projects',
      id: projectId,
      doc: records.project(projectId, this.organizationId),
    });
    return projectId;
  }

  async app(slug: string, fields: Partial<App> = {}, projectId = this.projectId): Promise<App> {
    const doc = records.app(projectId, slug, fields);
    await this.put({ put: 'apps', id: doc.appId, doc });
    return doc;
  }

  async room(owner: App, slug: string, fields: Partial<Room> = {}): Promise<Room> {
    const doc = records.room(owner, slug, fields);
    await this.put({ put: 'rooms', id: doc.roomId, doc });
    return doc;
  }

  /**
   * Another room of the same app with each call, on the same partition: what one client publishes in both comes in that order, which
   * makes a message of the one a marker for the other.
   */
  async roomInLine({ appId, slug }: Room): Promise<Room> {
    const owner = await this.find('apps', { appId });
    const { partitions = 1 } = busTopics.find(({ name }) => name === liveMessages.name) ?? {};
    const partition = (room: string) =>
      partitionOf(Buffer.from(`${this.projectId}/${owner.slug}/_/${room}`), partitions);
    do this.lastInLine++;
    while (partition(`other-${this.lastInLine}`) !== partition(slug));
    return this.room(owner, `other-${this.lastInLine}`);
  }

  /** A room `lobby` in an app, and its address with the topic `news`. */
  async newsroom(app = 'app-1', room = 'lobby'): Promise<string> {
    await this.room(await this.app(app), room);
    return `${app}/${room}/news`;
  }

  async actor(
    fields: Partial<Actor> = {},
    projectId = this.projectId,
  ): Promise<{ readonly record: Actor; readonly token: string }> {
    const made = records.actor(projectId, fields);
    await this.put({ put: 'actors', id: made.record.actorTokenId, doc: made.record });
    return made;
  }

  async grant(on: Room, fields: Partial<Grant>): Promise<Grant> {
    const doc = records.grant(on, fields);
    await this.put({ put: 'grants', id: doc.roomActorAccessId, doc });
    return doc;
  }

  async scope(slug: string, fields: Partial<Scope> = {}): Promise<Scope> {
    const doc = records.scope(this.projectId, slug, fields);
    await this.put({ put: 'scopes', id: doc.accessScopeId, doc });
    return doc;
  }

  /** A signing key and the secret that its project knows. */
  async signingKey(
    fields: Partial<SigningKey> = {},
    projectId = this.projectId,
  ): Promise<{ readonly record: SigningKey; readonly secret: string }> {
    const { keyId, token } = mintToken(systemRandom, 'sk_live');
    const secret = token.slice(keyId.length + 1);
    const signingKeyId = systemRandom.uuid();
    const sealedSecret = this.secretBox.seal(secret, signingKeyId);
    const doc = {
      ...createdSigningKey(
        { signingKeyId, projectId, keyId, name: 'key', allowExternalActors: false, sealedSecret },
        '2026-01-01T00:00:00.000Z',
      ),
      createdPosition: '0000000000000001',
      ...fields,
    };
    await this.put({ put: 'signingKeys', id: signingKeyId, doc });
    return { record: doc, secret };
  }

  /** The record of the project that has these fields; rejects where there is none. */
  async find<V extends 'apps' | 'rooms' | 'grants'>(view: V, filter: ViewFilter = {}): Promise<Views[V]> {
    const [found] = await this.views.find(view, { filter: { ...filter, projectId: this.projectId } });
    if (found === undefined) throw new Error(`No ${view} with ${JSON.stringify(filter)}`);
    return found;
  }

  async put(...changes: ViewChange[]): Promise<void> {
    await this.views.apply({ changes, position: nextPosition() });
  }
}
