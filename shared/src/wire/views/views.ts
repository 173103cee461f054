import type { Actor } from '../../domain/actor.js';
import type { ApiKey } from '../../domain/apiKey.js';
import type { App } from '../../domain/app.js';
import type { Blueprint } from '../../domain/blueprint.js';
import type { DeadLetter } from '../../domain/deadLetter.js';
import type { Organization } from '../../domain/organization.js';
import type { Project } from '../../domain/project.js';
import type { Grant, Room } from '../../domain/room.js';
import type { Scope } from '../../domain/scope.js';
import type { SessionRevocation } from '../../domain/sessionRevocation.js';
import type { SigningKey } from '../../domain/signingKey.js';
import type { TokenRevocation } from '../../domain/tokenRevocation.js';
import type { WebhookCircuit } from '../../domain/webhookCircuit.js';
import type { WebhookSecret } from '../../domain/webhookSecret.js';

/** A document of the read models. */
export type Viewed<T> = T & {
  /** Log position of the event that created it: the order of creation, also within one millisecond. */
  readonly createdPosition: string;
};

/** The position of a feed of domain events at the last write of the read models. */
export interface FeedProgress {
  readonly feed: string;
  readonly position: string;
}

/**
 * What is still to be removed with a project or an app that was deleted. Its own document goes with the deletion, so that nobody
 * finds the others through it; these are removed in the background.
 */
export interface Cascade {
  /** Of what was deleted; also the id of the cascade. */
  readonly deletedId: string;
  readonly organizationId: string;
  /** The field in which documents name what was deleted. */
  readonly owner: 'projectId' | 'appId';
  /** The views of these documents, in the order in which they are swept. */
  readonly views: readonly ViewName[];
  /** Documents removed so far. It grows while a projector is at work. */
  readonly removed: number;
  /** Log position of the deletion: what was created after it stays. */
  readonly createdPosition: string;
}

/** The read models, by name; a document has the id of its resource. */
export interface Views {
  readonly organizations: Viewed<Organization>;
  readonly projects: Viewed<Project>;
  readonly apiKeys: Viewed<ApiKey>;
  readonly blueprints: Viewed<Blueprint>;
  readonly apps: Viewed<App>;
  readonly rooms: Viewed<Room>;
  readonly grants: Viewed<Grant>;
  readonly scopes: Viewed<Scope>;
  readonly actors: Viewed<Actor>;
  readonly signingKeys: Viewed<SigningKey>;
  readonly deadLetters: Viewed<DeadLetter>;
  readonly webhookSecrets: Viewed<WebhookSecret>;
  /** Those that are open. */
  readonly webhookCircuits: Viewed<WebhookCircuit>;
  readonly sessionRevocations: Viewed<SessionRevocation>;
  readonly tokenRevocations: Viewed<TokenRevocation>;
  readonly feedProgress: FeedProgress;
  readonly cascades: Cascade;
}

export type ViewName = keyof Views;

type FieldOf<V extends ViewName> = keyof Views[V] & string;

/** A field, or a path into a list of documents: at most one in an index. */
type IndexField<V extends ViewName> = FieldOf<V> | `${FieldOf<V>}.${string}`;

type FieldsOfViews = { readonly [V in ViewName]: readonly (readonly IndexField<V>[])[] };

/** The fields by which each view is looked up, most selective combination first; every adapter builds its indexes from here. */
export const viewIndexes: FieldsOfViews = {
  organizations: [],
  projects: [],
  apiKeys: [['keyId']],
  blueprints: [],
  apps: [
    ['projectId', 'slug'],
    ['projectId', 'config.lobbies.slug'],
  ],
  rooms: [['appId', 'slug'], ['projectId', 'slug'], ['projectId']],
  grants: [['appId'], ['projectId']],
  scopes: [['projectId', 'slug']],
  actors: [['keyId']],
  signingKeys: [['keyId']],
  deadLetters: [],
  webhookSecrets: [],
  webhookCircuits: [],
  sessionRevocations: [['revokes']],
  tokenRevocations: [['actorTokenId']],
  feedProgress: [],
  cascades: [],
};

/** The fields by which each view is listed in the order of `createdPosition`, from any place of it on: indexes too. */
export const viewLists: FieldsOfViews = {
  organizations: [],
  projects: [['organizationId']],
  apiKeys: [['projectId'], ['organizationId']],
  blueprints: [['organizationId']],
  apps: [['projectId']],
  rooms: [['appId']],
  grants: [['roomId'], ['appId', 'actorTokenId'], ['appId', 'actorType']],
  scopes: [['projectId']],
  actors: [['accessScopeId'], ['projectId']],
  signingKeys: [['projectId']],
  deadLetters: [
    ['organizationId', 'status'],
    ['organizationId', 'kind'],
    ['organizationId'],
    ['projectId', 'status'],
    ['projectId'],
    ['appId'],
  ],
  webhookSecrets: [['projectId']],
  webhookCircuits: [['projectId']],
  sessionRevocations: [['organizationId']],
  tokenRevocations: [['projectId']],
  feedProgress: [],
  cascades: [],
};

/** Other orders of whole lists, for engines that need an index to sort many documents. */
export const viewOrders: Partial<FieldsOfViews> = {
  scopes: [['projectId', 'createdAt', 'createdPosition']],
  tokenRevocations: [['keptUntil']],
};

/**
 * Raise it with every change of the documents' content: a store of another version is rebuilt from the log. In a database those of the old
 * version are kept up by its own projectors until its readers are gone.
 */
export const viewsVersion = 5;
