import type { GroupNewsOf, HeldMessage } from '@roomwire/shared/contracts/bus/groupNews';
import type { LiveMessage } from '@roomwire/shared/contracts/bus/liveMessage';
import type { GroupState } from './groupState.js';

export type StatePart = GroupNewsOf<'state'>;
type Content = Pick<StatePart, 'part' | 'parts' | 'members' | 'awaiting' | 'held'>;

/** Of the bodies in one record, unless a single one has more. */
const partBytes = 512 * 1024;
const partMessages = 1_000;

/** In lists that fit into a record. */
export const divided = <T>(items: readonly T[], bytesOf: (item: T) => number): readonly (readonly T[])[] => {
  const lists: T[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const item of items) {
    bytes += bytesOf(item);
    const last = lists.at(-1);
    if (last !== undefined && bytes <= partBytes && last.length < partMessages) last.push(item);
    else {
      lists.push([item]);
      bytes = bytesOf(item);
    }
  }
  return lists;
};

export const bytesOfMessage = ({ body }: LiveMessage): number => body.length;

/** What the records say that give the state to somebody else. */
export const partsOf = (state: GroupState): readonly Content[] => {
  const lists = divided(state.heldMessages, ([message]: HeldMessage) => bytesOfMessage(message));
  const parts = Math.max(1, lists.length);
  return Array.from({ length: parts }, (_, part) => ({
    part,
    parts,
    members: part === 0 ? state.knownMembers : [],
    awaiting: part === 0 ? [...state.awaiting] : [],
    held: lists[part] ?? [],
  }));
};

/** Puts the parts of a state together again, one state at a time. */
export class StateCollector {
  private parts: StatePart[] = [];

  /** All parts, once the last one is there. */
  add(part: StatePart): readonly StatePart[] | undefined {
    const [first] = this.parts;
    const isNext = first !== undefined && isOfSame(first, part) && part.part === this.parts.length;
    if (isNext) this.parts.push(part);
    else this.parts = part.part === 0 ? [part] : [];
    if (this.parts.length === 0 || this.parts.length < part.parts) return undefined;
    const { parts } = this;
    this.parts = [];
    return parts;
  }
}

const isOfSame = (one: StatePart, other: StatePart): boolean =>
  one.gatewayId === other.gatewayId && one.after[0] === other.after[0] && one.after[1] === other.after[1];
