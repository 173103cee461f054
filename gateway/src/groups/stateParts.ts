import type { GroupRecordOf, HeldMessage } from '@roomwire/shared/wire/bus/groupRecord';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { GroupSnapshot } from './groupState.js';

export type StatePart = GroupRecordOf<'state'>;
type Content = Omit<StatePart, 'kind' | 'room' | 'topic' | 'group' | 'gatewayId' | 'ref' | 'to' | 'after'>;

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
export const partsOf = (snapshot: GroupSnapshot): readonly Content[] => {
  const { members, awaiting, isWaking, collects, passed } = snapshot;
  const lists = divided(snapshot.held, ([message]: HeldMessage) => bytesOfMessage(message));
  const parts = Math.max(1, lists.length);
  const nothing = { members: [], awaiting: [], passed: [] };
  const first = { members, awaiting, passed: passed.ids };
  return Array.from({ length: parts }, (_, part) => ({
    ...{ part, parts, isWaking, collects, floorMs: passed.floorMs },
    ...(part === 0 ? first : nothing),
    held: lists[part] ?? [],
  }));
};

const snapshotOf = (parts: readonly [StatePart, ...StatePart[]]): GroupSnapshot => {
  const [{ members, awaiting, isWaking, collects, floorMs, passed: ids }] = parts;
  const held = parts.flatMap((part) => part.held);
  return { members, awaiting, isWaking, collects, held, passed: { floorMs, ids } };
};

/** Puts the parts of a state together again, one state at a time. */
export class StateCollector {
  private parts: StatePart[] = [];

  /** The whole, once the last one is there. */
  add(part: StatePart): GroupSnapshot | undefined {
    const [first] = this.parts;
    const isNext = first !== undefined && isOfSame(first, part) && part.part === this.parts.length;
    if (isNext) this.parts.push(part);
    else this.parts = part.part === 0 ? [part] : [];
    const [begin, ...rest] = this.parts;
    if (begin === undefined || this.parts.length < part.parts) return undefined;
    this.parts = [];
    return snapshotOf([begin, ...rest]);
  }
}

const isOfSame = (one: StatePart, other: StatePart): boolean =>
  one.gatewayId === other.gatewayId && one.after[0] === other.after[0] && one.after[1] === other.after[1];
