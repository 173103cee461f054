import type { FilterEntry } from '@roomwire/shared/wire/protocol/messageOptions';
import { SetMultimap } from '../setMultimap.js';

/** An item of an index; only the index sets the mark. */
export interface Indexed {
  readonly filters: readonly FilterEntry[] | undefined;
  mark: number;
}

/** An AND-group and the items that contain it. */
interface Group<T> {
  readonly values: readonly string[];
  /** The value that the group is indexed under. */
  readonly under: string;
  readonly members: Set<T>;
}

/** A separator that no value may contain. */
const separator = '|';

/**
 * [WS-FILTER-3] Finds the items that match the values of a message. The cost of a search depends on these values and the matches,
 * not on the number of other items; the cost of a change depends on the filters of the item.
 */
export class FilterIndex<T extends Indexed> {
  private readonly plain = new SetMultimap<string, T>();
  private readonly groups = new Map<string, Group<T>>();
  private readonly groupsUnder = new SetMultimap<string, Group<T>>();
  private readonly items = new Set<T>();
  private matches = 0;

  get isEmpty(): boolean {
    return this.items.size === 0;
  }

  get all(): ReadonlySet<T> {
    return this.items;
  }

  /** Its filters must not change before it has been removed. */
  add(item: T): void {
    this.items.add(item);
    item.mark = 0;
    for (const entry of item.filters ?? []) {
      const values = distinct(entry);
      if (values.length === 1) this.plain.add(values[0] as string, item);
      else this.group(values).members.add(item);
    }
  }

  remove(item: T): void {
    this.items.delete(item);
    for (const entry of item.filters ?? []) {
      const values = distinct(entry);
      if (values.length === 1) this.plain.delete(values[0] as string, item);
      else this.leaveGroup(values.join(separator), item);
    }
  }

  /** Each match once, even if several of its filters match. */
  matching(onMessage: readonly string[]): readonly T[] {
    const found: T[] = [];
    if (this.isEmpty) return found;
    this.matches++;
    let all: ReadonlySet<string> | undefined;
    for (const value of onMessage) {
      this.collect(this.plain.get(value), found);
      const groups = this.groupsUnder.get(value);
      if (groups === undefined) continue;
      all ??= new Set(onMessage);
      for (const { values, members } of groups) if (isWithin(values, all)) this.collect(members, found);
    }
    return found;
  }

  private collect(items: ReadonlySet<T> | undefined, found: T[]): void {
    if (items === undefined) return;
    for (const item of items) {
      if (item.mark === this.matches) continue;
      item.mark = this.matches;
      found.push(item);
    }
  }

  private group(values: readonly string[]): Group<T> {
    const name = values.join(separator);
    const known = this.groups.get(name);
    if (known !== undefined) return known;
    const group: Group<T> = { values, under: this.rarest(values), members: new Set() };
    this.groups.set(name, group);
    this.groupsUnder.add(group.under, group);
    return group;
  }

  private leaveGroup(name: string, item: T): void {
    const group = this.groups.get(name);
    group?.members.delete(item);
    if (group?.members.size !== 0) return;
    this.groups.delete(name);
    this.groupsUnder.delete(group.under, group);
  }

  /** The value with the fewest other groups, which keeps searches for common values cheap. */
  private rarest(values: readonly string[]): string {
    const groupsOf = (value: string) => this.groupsUnder.get(value)?.size ?? 0;
    return values.reduce((best, value) => (groupsOf(value) < groupsOf(best) ? value : best));
  }
}

/** Sorted, so that equal groups have one name. */
const distinct = (entry: FilterEntry): readonly string[] => {
  if (typeof entry === 'string') return [entry];
  return isAscending(entry) ? entry : [...new Set(entry)].sort();
};

const isAscending = (values: readonly string[]): boolean =>
  values.every((value, at) => at === 0 || (values[at - 1] as string) < value);

const isWithin = (values: readonly string[], all: ReadonlySet<string>): boolean => {
  for (const value of values) if (!all.has(value)) return false;
  return true;
};
