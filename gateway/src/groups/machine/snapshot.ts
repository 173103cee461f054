import type { GroupRecordOf, HeldMessage } from '@roomwire/shared/wire/bus/groupRecord';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { isGroupRecord, type RoomRecord } from '@roomwire/shared/wire/bus/roomRecord';
import type { GroupBounds, GroupSnapshot } from './groupState.js';
import { RecordBuffer } from './recordBuffer.js';

type SnapshotPart = GroupRecordOf<'state'>;
type PartContent = GroupSnapshot & Pick<SnapshotPart, 'part' | 'parts'>;

/** The size of the bodies in one record, unless a single body is larger. */
const maxRecordBytes = 512 * 1024;
const maxRecordMessages = 1_000;

/** Splits a list so that each part fits into a record. */
export const chunked = <T>(items: readonly T[], messageOf: (item: T) => LiveMessage): T[][] => {
  const chunks: T[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const item of items) {
    const size = messageOf(item).body.length;
    bytes += size;
    const last = chunks.at(-1);
    if (last !== undefined && bytes <= maxRecordBytes && last.length < maxRecordMessages) last.push(item);
    else {
      chunks.push([item]);
      bytes = size;
    }
  }
  return chunks;
};

/** Splits ids so that each part fits into a record. */
export const chunkedIds = (ids: readonly string[]): readonly (readonly string[])[] => {
  const chunks: (readonly string[])[] = [];
  for (let at = 0; at < ids.length; at += maxRecordMessages)
    chunks.push(ids.slice(at, at + maxRecordMessages));
  return chunks;
};

/** What the records of a snapshot contain: the messages in as many parts as needed, everything else in the first one. */
export const snapshotParts = (snapshot: GroupSnapshot): readonly PartContent[] => {
  const chunks = chunked(snapshot.held, ([message]: HeldMessage) => message);
  const [first = [], ...others] = chunks;
  const parts = 1 + others.length;
  const rest = { ...snapshot, members: [], awaiting: [], passed: [] };
  return [
    { ...snapshot, part: 0, parts, held: first },
    ...others.map((held, index) => ({ ...rest, part: index + 1, parts, held })),
  ];
};

/** Puts the parts of a snapshot together; those of an interrupted one are discarded. */
class SnapshotCollector {
  private parts: SnapshotPart[] = [];

  /** The snapshot, with its last part. */
  add(part: SnapshotPart): GroupSnapshot | undefined {
    const [first] = this.parts;
    const isNext = first !== undefined && isOfSame(first, part) && part.part === this.parts.length;
    if (isNext) this.parts.push(part);
    else this.parts = part.part === 0 ? [part] : [];
    const [begin] = this.parts;
    if (begin === undefined || this.parts.length < part.parts) return undefined;
    const held = this.parts.flatMap((each) => each.held);
    this.parts = [];
    return { ...begin, held };
  }
}

const isOfSame = (one: SnapshotPart, other: SnapshotPart): boolean =>
  one.gatewayId === other.gatewayId && one.after[0] === other.after[0] && one.after[1] === other.after[1];

/** A snapshot and the records that follow it. */
export interface CaughtUp {
  readonly snapshot: GroupSnapshot;
  readonly since: readonly RoomRecord[];
}

/** The records that a gateway buffers from its join on while it has no state, so that it can continue from a snapshot. */
export class CatchUp {
  readonly buffer: RecordBuffer;
  private readonly collector = new SnapshotCollector();

  constructor(bounds: GroupBounds, dropped: (messages: number) => void) {
    this.buffer = new RecordBuffer(bounds, dropped);
  }

  /** Undefined until the snapshot is complete, and for one whose position was read before the buffer began. */
  addPart(part: SnapshotPart): CaughtUp | undefined {
    const snapshot = this.collector.add(part);
    if (snapshot === undefined) return undefined;
    const [gatewayId, ref] = part.after;
    const { records } = this.buffer;
    const position = records.findIndex(
      (record) => isGroupRecord(record) && record.gatewayId === gatewayId && record.ref === ref,
    );
    return position < 0 ? undefined : { snapshot, since: records.slice(position + 1) };
  }
}
