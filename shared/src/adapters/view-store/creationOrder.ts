import { isScalar } from './filterRules.js';
import { compareValues } from './ordering.js';

/** The field by which lists are ordered, and continued. */
export const creationField = 'createdPosition';

export interface OrderedEntry {
  readonly id: string;
  readonly document: Readonly<Record<string, unknown>>;
}

/** A place between entries. */
interface Place {
  readonly position: unknown;
  /** Without it, the place before all entries of the position. */
  readonly id?: string;
}

/** Entries of a part: moving half of them costs no more than finding the part. */
const mostInPart = 512;

/**
 * Entries in the order of their creation. They mostly come in that order; any other insertion, a removal and a look-up cost
 * a binary search. An entry must be removed before its position changes.
 */
export class CreationOrder<E extends OrderedEntry> {
  /** Each in order, and none empty. */
  private readonly parts: E[][] = [];
  private count = 0;

  get size(): number {
    return this.count;
  }

  add(entry: E): void {
    this.count += 1;
    const place = placeOf(entry);
    const at = this.partOf(place);
    const part = this.parts[at];
    if (part === undefined) return void this.parts.push([entry]);
    part.splice(indexIn(part, place), 0, entry);
    // The last part is filled to the end, so that entries in order make full parts.
    if (part.length > mostInPart) {
      const isLast = at === this.parts.length - 1;
      this.parts.splice(at + 1, 0, part.splice(isLast ? mostInPart : mostInPart / 2));
    }
  }

  delete(entry: E): void {
    const at = this.partOf(placeOf(entry));
    const part = this.parts[at];
    const index = part === undefined ? -1 : indexIn(part, placeOf(entry));
    if (part?.[index] !== entry) return;
    part.splice(index, 1);
    this.count -= 1;
    if (part.length === 0) this.parts.splice(at, 1);
  }

  *[Symbol.iterator](): Iterator<E> {
    for (const part of this.parts) yield* part;
  }

  /** All entries in order; those that were reached may be removed meanwhile. */
  *removable(): Generator<E> {
    for (let place: Place | undefined; ;) {
      const some = this.from(place, 1, mostInPart);
      yield* some;
      const last = some.at(-1);
      if (last === undefined) return;
      place = { ...placeOf(last), id: `${last.id}\0` };
    }
  }

  /** Up to `most` entries from a place on, in the direction. */
  from(place: Place | undefined, direction: 1 | -1, most: number): E[] {
    return direction === 1 ? this.upwards(place, most) : this.downwards(place, most);
  }

  private upwards(place: Place | undefined, most: number): E[] {
    const found: E[] = [];
    let at = place === undefined ? 0 : this.partOf(place);
    let index = place === undefined ? 0 : indexIn(this.parts[at] ?? [], place);
    for (; at < this.parts.length && found.length < most; at += 1, index = 0)
      found.push(...(this.parts[at] ?? []).slice(index, index + most - found.length));
    return found;
  }

  /** Entries before the place, the last one first. */
  private downwards(place: Place | undefined, most: number): E[] {
    const found: E[] = [];
    let at = place === undefined ? this.parts.length - 1 : this.partOf(place);
    let end = place === undefined ? Infinity : indexIn(this.parts[at] ?? [], place);
    for (; at >= 0 && found.length < most; at -= 1, end = Infinity) {
      const part = (this.parts[at] ?? []).slice(0, end);
      found.push(...part.slice(-(most - found.length)).reverse());
    }
    return found;
  }

  /** The part in which the place is: the last one that begins at it or before it, or the first one. */
  private partOf(place: Place): number {
    const isBehind = (part: readonly E[] | undefined): boolean =>
      part?.[0] !== undefined && compareWith(part[0], place) > 0;
    let from = 0;
    let to = this.parts.length;
    // Mostly the last one.
    if (!isBehind(this.parts[to - 1])) return to - 1;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (isBehind(this.parts[middle])) to = middle;
      else from = middle + 1;
    }
    return Math.max(0, from - 1);
  }
}

const positionOf = ({ document }: OrderedEntry): unknown => {
  const position = document[creationField] ?? null;
  return isScalar(position) ? position : null;
};

export const placeOf = (entry: OrderedEntry): Required<Place> => ({
  position: positionOf(entry),
  id: entry.id,
});

/** How many entries of the part are before the place. */
const indexIn = (part: readonly OrderedEntry[], place: Place): number => {
  let from = 0;
  let to = part.length;
  const last = part[to - 1];
  if (last === undefined || compareWith(last, place) < 0) return to;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (compareWith(part[middle] as OrderedEntry, place) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
};

/** Below 0 for an entry before the place. */
const compareWith = (entry: OrderedEntry, { position, id }: Place): number => {
  const order = compareValues(positionOf(entry), position);
  if (order !== 0) return order;
  if (id === undefined || entry.id > id) return 1;
  return entry.id < id ? -1 : 0;
};
