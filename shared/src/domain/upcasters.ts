import type { ActorFields } from './actors/actor.js';
import type { EventType } from './events.js';

/** The data of one schema version as the next version has it. */
export type Upcast = (data: unknown) => unknown;

/**
 * For each event type that has changed, how the data of each old version becomes that of the next. Events are never
 * edited: a row that was needed once stays for ever.
 */
export const upcasters: { readonly [T in EventType]?: Readonly<Record<number, Upcast>> } = {
  ActorCreated: {
    // Nothing was in a scope when there was none.
    1: (data) => ({ ...(data as Omit<ActorFields, 'scopeMembershipId'>), scopeMembershipId: null }),
  },
};
