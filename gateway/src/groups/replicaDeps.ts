import type { GroupRecord } from '@roomwire/shared/wire/bus/groupRecord';
import type { GroupBounds, GroupState } from './groupState.js';

type Unsigned<T> = T extends unknown ? Omit<T, 'room' | 'topic' | 'group' | 'gatewayId' | 'ref'> : never;
export type Utterance = Unsigned<GroupRecord>;

export interface ReplicaDeps {
  readonly gatewayId: string;
  readonly bounds: GroupBounds;
  /** Sends a record, in the order of the calls and until the bus has it. Returns its number. */
  readonly say: (news: Utterance) => number;
  readonly nextNumber: () => number;
  /** Whether another gateway may have the state: one of those that were there before us, or at the last look. */
  readonly hasOthers: () => boolean;
  /** Our state is gone: whoever is there now may have one. */
  readonly lookAgain: () => void;
  /** This process may have stood still, and be out without knowing. */
  readonly mayBeOut: () => boolean;
  /** Nobody is here any more, and all that was said has been read. */
  readonly ended: () => void;
  readonly dropped: (messages: number) => void;
  /** A group that nobody had a state of: whether something may have been recorded for it, and the time. */
  readonly founded: () => { readonly isWaking: boolean; readonly nowMs: number };
  /** It is up to this gateway to give out what was recorded. Called again and again, until `woken` is. */
  readonly wake: () => void;
  /** The last member is gone. */
  readonly emptied: (state: GroupState) => void;
}
