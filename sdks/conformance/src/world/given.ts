import type { Fields } from '../scenario/match.js';

/** A room grant by names of the scenario: of an actor, or of a type of actors. */
export interface GivenGrant {
  readonly room: string;
  readonly fields: Fields;
  readonly actor?: string;
}

export interface GivenActor {
  readonly actorType: string;
  /** The slug of a scope of the scenario. */
  readonly scope?: string;
}

/** What there is when a scenario begins. */
export interface Given {
  /** Further fields of the app. */
  readonly app: Fields;
  /** The configuration of each topic. */
  readonly topics: Readonly<Record<string, Fields>>;
  readonly rooms: readonly string[];
  readonly actors: Readonly<Record<string, GivenActor>>;
  readonly scopes: readonly string[];
  readonly grants: readonly GivenGrant[];
  /** What a hydration webhook of the app answers; without one, the app has none. */
  readonly hydration: unknown;
  /** Variables of the service. */
  readonly settings: Readonly<Record<string, string>>;
  /** Whether the scenario acts on the service, so that it has one of its own. */
  readonly hasOwnServer: boolean;
}
