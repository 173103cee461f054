import type { IndexedPartition, IndexedRecord } from '../../ports/historyIndex.js';
import type { HistoryTopic } from '../../ports/history.js';
import type { PartitionTail } from '../../history/historyPartitions.js';

export interface TailLimits {
  /** Of the kept messages of a partition. */
  readonly messages: number;
  readonly bytes: number;
  /** Of all partitions. */
  readonly totalBytes: number;
}

/** Of a message, beside its body. */
const overheadBytes = 500;
/** A second copy is of a batch that was sent again: in a partition it comes within so many records of the first. */
const copyDistance = 2_000;

/** The kept messages of a partition between two offsets, all of them. */
export class TailRun {
  readonly epoch: number;
  /** The offset of the next record. */
  next: number;
  bytes = 0;
  private start: number;
  private messages: IndexedRecord[] = [];
  private readonly ids = new Set<string>();

  constructor({ epoch, next }: IndexedPartition) {
    this.epoch = epoch;
    this.start = next;
    this.next = next;
  }

  /** Whether records from an offset on can be told from it, once it is read on to their end. */
  covers({ epoch, next }: IndexedPartition, end: number): boolean {
    return epoch === this.epoch && this.start <= next && next <= this.next && this.next <= end;
  }

  /** Those of successive records that are kept; `next` is the offset behind the last of them all. */
  add(kept: readonly IndexedRecord[], next: number): void {
    for (const { offset, message } of kept) {
      if (this.ids.has(message.id)) continue;
      this.ids.add(message.id);
      // A copy: the body is a part of all that was fetched with it.
      this.messages.push({ offset, message: { ...message, body: new Uint8Array(message.body) } });
      this.bytes += message.body.length + overheadBytes;
    }
    this.next = next;
  }

  /** Forgets the first ones as long as there are too many, but none that the index may lack. */
  trim(indexedTo: number, isTooMuch: (messages: number, bytes: number) => boolean): void {
    let gone = 0;
    for (const { offset, message } of this.messages) {
      if (offset >= indexedTo || !isTooMuch(this.messages.length - gone, this.bytes)) break;
      gone += 1;
      this.start = offset + 1;
      this.bytes -= message.body.length + overheadBytes;
      this.ids.delete(message.id);
    }
    if (gone > 0) this.messages = this.messages.slice(gone);
  }

  exceeds({ messages, bytes }: TailLimits): boolean {
    return this.messages.length > messages || this.bytes > bytes;
  }

  /** As it is now. `indexedTo`: what the index has; `low`: the first record that there is. */
  snapshot(indexedTo: number, low: number): PartitionTail {
    const messages = [...this.messages];
    let byTopic: ReadonlyMap<string, readonly IndexedRecord[]> | undefined;
    return {
      messagesOf: (topic) => (byTopic ??= groupedByTopic(messages)).get(keyOf(topic)) ?? [],
      knowsCopies: this.start <= low || this.start + copyDistance <= indexedTo,
    };
  }
}

const keyOf = ({ roomId, accessScopeId, room, name }: HistoryTopic): string =>
  `${roomId}/${accessScopeId ?? ''}/${room}/${name}`;

const groupedByTopic = (
  messages: readonly IndexedRecord[],
): ReadonlyMap<string, readonly IndexedRecord[]> => {
  const groups = new Map<string, IndexedRecord[]>();
  for (const record of messages) {
    const { kept, topic } = record.message;
    const key = `${kept?.roomId ?? ''}/${kept?.accessScopeId ?? ''}/${topic}`;
    const group = groups.get(key);
    if (group) group.push(record);
    else groups.set(key, [record]);
  }
  return groups;
};
