import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { isGroupRecord, type RoomRecord } from '@roomwire/shared/wire/bus/roomRecord';
import type { GroupBounds } from './groupState.js';
import { messageMemory } from './messageMemory.js';

/** Records in their order, each message once. Beyond the bounds the oldest messages among them are dropped. */
export class RecordBuffer {
  private readonly bounds: GroupBounds;
  private readonly dropped: (messages: number) => void;
  /** Messages by their ids, other records by their numbers here. */
  private readonly buffer = new Map<string | number, RoomRecord>();
  private others = 0;
  private messageCount = 0;
  private bytes = 0;
  private memory = 0;

  /** `dropped` is told of the messages beyond the bounds. */
  constructor(bounds: GroupBounds, dropped: (messages: number) => void) {
    this.bounds = bounds;
    this.dropped = dropped;
  }

  get records(): readonly RoomRecord[] {
    return [...this.buffer.values()];
  }

  get messages(): readonly LiveMessage[] {
    return this.records.filter(isMessage);
  }

  /** Bytes that the messages take. */
  get memoryBytes(): number {
    return this.memory;
  }

  add(record: RoomRecord): void {
    if (!isMessage(record)) return void this.buffer.set((this.others += 1), record);
    if (this.buffer.has(record.id)) return;
    this.buffer.set(record.id, record);
    this.messageCount++;
    this.bytes += record.body.length;
    this.memory += messageMemory(record);
    while (this.messageCount > this.bounds.messages || this.bytes > this.bounds.bytes) {
      this.takeOldest();
      this.dropped(1);
    }
  }

  /** Removes a message, and returns it if it was there. */
  take(id: string): LiveMessage | undefined {
    const record = this.buffer.get(id);
    if (record === undefined || !isMessage(record)) return undefined;
    this.buffer.delete(id);
    this.messageCount--;
    this.bytes -= record.body.length;
    this.memory -= messageMemory(record);
    return record;
  }

  /** Removes the oldest messages that take so many bytes, and returns their ids. */
  drop(bytes: number): readonly string[] {
    const target = this.memory - bytes;
    const ids: string[] = [];
    while (this.messageCount > 0 && this.memory > target) ids.push((this.takeOldest() as LiveMessage).id);
    return ids;
  }

  private takeOldest(): LiveMessage | undefined {
    for (const record of this.buffer.values()) if (isMessage(record)) return this.take(record.id);
    return undefined;
  }
}

const isMessage = (record: RoomRecord): record is LiveMessage => !isGroupRecord(record);
