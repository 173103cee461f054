import type { Filter } from '@roomwire/sdk';
import type { Schemas } from '../../api/schemas.js';

export type App = Schemas['App'];
export type Room = Schemas['Room'];
export type JobGroup = Schemas['JobGroup'];
export type PresentActor = Schemas['PresentActor'];
export type KeptMessage = Schemas['KeptMessage'];

/** What the page shows: a topic of a room, in a scope or outside of every. */
export interface Spot {
  readonly appId: string;
  readonly roomId: string;
  /** The bare name. */
  readonly topic: string;
  /** `app/room/topic` */
  readonly address: string;
  /** An accessScopeId. */
  readonly scope: string | undefined;
  readonly filters: readonly Filter[];
  readonly hasHistory: boolean;
}
