import type { Buffer } from 'node:buffer';
import { placeOfConnection } from '../connectionFold.js';
import { textOfEntry, type WrittenEntry } from './entries.js';
import { termsOf, TermTable, type Term } from './terms.js';

/** Text in a block: a look-up reads one at least. */
const blockCharacters = 32 * 1024;

/** What is known of a segment without reading it: entries of many connections, in the order in which these began, in blocks. */
export interface Segment {
  readonly id: number;
  /** Later ones have the later facts of a connection. */
  readonly order: number;
  readonly facts: number;
  readonly bytes: number;
  /** Times of the oldest and the newest fact. */
  readonly from: number;
  readonly to: number;
  /** The highest place of a fact. */
  readonly lastPlace: string;
  /** The places of the first and the last connection of each. */
  readonly blocks: readonly (readonly [first: string, last: string])[];
}

/** A segment with what is in it. */
export interface WrittenSegment {
  readonly segment: Segment;
  readonly blocks: readonly string[];
  readonly terms: Buffer;
}

interface Placed {
  readonly entry: WrittenEntry;
  readonly place: string;
}

const inOrder = (one: Placed, other: Placed): number => (one.place < other.place ? -1 : 1);

/** There is at least one entry, and each has a fact at least. */
export const writeSegment = (
  entries: readonly WrittenEntry[],
  { id, order }: Pick<Segment, 'id' | 'order'>,
): WrittenSegment => {
  const placed = entries
    .map((entry) => ({ entry, place: placeOfConnection(entry.connection) }))
    .sort(inOrder);
  const [blocks, terms, ranges]: [string[], Term[][], [string, string][]] = [[], [], []];
  let [texts, characters]: [string[], number] = [[], 0];
  let [facts, from, to, lastPlace] = [0, Number.MAX_SAFE_INTEGER, 0, ''];
  for (const { entry, place } of placed) {
    if (texts.length === 0) [terms[blocks.length], ranges[blocks.length]] = [[], [place, place]];
    terms[blocks.length]?.push(...termsOf(entry));
    (ranges[blocks.length] as [string, string])[1] = place;
    for (const fact of entry.facts) {
      [from, to] = [Math.min(from, fact.at), Math.max(to, fact.at)];
      if (fact.place > lastPlace) lastPlace = fact.place;
    }
    facts += entry.facts.length;
    const text = textOfEntry(entry);
    texts.push(text);
    characters += text.length;
    if (characters < blockCharacters && entry !== placed.at(-1)?.entry) continue;
    blocks.push(`[${texts.join(',')}]`);
    [texts, characters] = [[], 0];
  }
  const bytesOfTerms = TermTable.bytesOf(terms);
  const bytes = blocks.reduce((sum, { length }) => sum + length, bytesOfTerms.length);
  return {
    segment: { id, order, facts, bytes, from, to, lastPlace, blocks: ranges },
    ...{ blocks, terms: bytesOfTerms },
  };
};
