import { Encoder, decode } from '@msgpack/msgpack';
import type { RoomEventName } from '@roomwire/shared/domain/roomEvents';
import type { RollRecord } from '@roomwire/shared/ports/roomEventStore';
import type { RoomPlace } from './places.js';
import { Roll, type RollChange, type Standing, type WaitingEvent } from './roll.js';

/** Of what is in a record. A later version of this program reads it. */
const version = 1;

/** A record of a whole roll ends with the entry that reaches this. */
const partBytes = 1024 * 1024;

type Content =
  { readonly v: number; readonly changes: readonly RollChange[] } | ({ readonly v: number } & WholePart);

/** A part of all that there is, of several in a row. */
interface WholePart {
  readonly part: number;
  readonly isLast: boolean;
  /** With the first part. */
  readonly head?: Head;
  readonly standing: readonly (readonly [actorTokenId: string, Standing])[];
  readonly waiting: readonly WaitingEvent[];
}

interface Head {
  readonly place: RoomPlace | null;
  readonly sequence: number;
  readonly sent: number;
  readonly sentAt: number;
  readonly settled: number;
}

const encoder = new Encoder({ ignoreUndefined: true });

export const encodeChanges = (changes: readonly RollChange[]): Uint8Array =>
  encoder.encode({ v: version, changes });

/** The whole roll, in as many records as it takes. */
export const encodeWhole = (roll: Readonly<Roll>): readonly Uint8Array[] => {
  const { sequence, sent, movedAt, settled } = roll;
  const place = roll.place ?? null;
  const parts: Omit<WholePart, 'isLast' | 'part'>[] = [];
  const standing = slices([...roll.standing], ([, { presence }]) => presence.length);
  const waiting = slices(roll.waiting, ({ presence }) => presence?.length ?? 0);
  for (let at = 0; at < Math.max(standing.length, waiting.length, 1); at += 1)
    parts.push({ standing: standing[at] ?? [], waiting: waiting[at] ?? [] });
  return parts.map((content, part) =>
    encoder.encode({
      ...{ v: version, part, isLast: part === parts.length - 1, ...content },
      ...(part === 0 && { head: { place, sequence, sent, sentAt: movedAt, settled } }),
    }),
  );
};

const entryBytes = 150;

const slices = <T>(entries: readonly T[], bytesOf: (entry: T) => number): T[][] => {
  const made: T[][] = [];
  let room = 0;
  for (const entry of entries) {
    const bytes = bytesOf(entry) + entryBytes;
    if (room < bytes) {
      made.push([]);
      room = partBytes;
    }
    made.at(-1)?.push(entry);
    room -= bytes;
  }
  return made;
};

/**
 * The roll that these records make. What is before a whole one does not count, nor does one of which parts are missing: its writer was killed,
 * or has lost the roll to another.
 */
export const readRoll = (records: readonly RollRecord[]): Roll => {
  let roll = new Roll();
  let begun: { readonly roll: Roll; readonly next: number } | undefined;
  for (const { content } of records) {
    const read = contentOf(content);
    if ('changes' in read) {
      begun = undefined;
      for (const change of read.changes) roll.apply(change);
      continue;
    }
    if (read.head !== undefined) begun = { roll: beginWith(read.head), next: 0 };
    if (begun?.next !== read.part) {
      begun = undefined;
      continue;
    }
    fill(begun.roll, read);
    if (read.isLast) roll = begun.roll;
    begun = read.isLast ? undefined : { ...begun, next: begun.next + 1 };
  }
  return roll;
};

const beginWith = ({ place, sentAt, ...numbers }: Head): Roll =>
  Object.assign(new Roll(), { place: place ?? undefined, movedAt: sentAt, ...numbers });

const fill = (roll: Roll, { standing, waiting }: WholePart): void => {
  for (const [actorTokenId, { presence, joinedAt, goneAt }] of standing) {
    roll.apply({ kind: 'on', actorTokenId, presence: own(presence), joinedAt });
    if (goneAt !== undefined) roll.apply({ kind: 'gone', actorTokenId, at: goneAt });
  }
  const { sequence } = roll;
  for (const event of waiting) roll.apply({ kind: 'event', event: ownEvent(event) });
  roll.sequence = sequence;
};

const contentOf = (bytes: Uint8Array): Content => {
  const content = decode(bytes) as Content;
  if (content.v !== version) throw new Error(`A roll of version ${content.v} is not known`);
  if (!('changes' in content)) return content;
  return { ...content, changes: content.changes.map(ownChange) };
};

/** What is decoded is a view of the whole record. */
const own = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);

const ownEvent = (event: WaitingEvent): WaitingEvent => ({
  ...event,
  event: event.event satisfies RoomEventName,
  presence: event.presence && own(event.presence),
});

const ownChange = (change: RollChange): RollChange => {
  if (change.kind === 'on') return { ...change, presence: own(change.presence) };
  return change.kind === 'event' ? { kind: 'event', event: ownEvent(change.event) } : change;
};
