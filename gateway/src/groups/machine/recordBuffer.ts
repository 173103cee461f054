import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { isGroupRecord, type RoomRecord } from '@roomwire/shared/wire/bus/roomRecord';
import type { GroupBounds } from './groupState.js';
import { messageMemory } from './messageMemory.js';

/** Records in their order. Beyond the bounds the oldest messages among them are dropped. */
export class RecordBuffer {
  /** Number of messages dropped beyond the bounds. */
  dropped = 0;
  private readonly bounds: GroupBounds;
  private readonly buffer: RoomRecord[] = [];
  private messages = 0;
  private bytes = 0;
  private memory = 0;

  constructor(bounds: GroupBounds) {
    this.bounds = bounds;
  }

  get records(): readonly RoomRecord[] {
    return this.buffer;
  }

  /** Bytes that the messages take. */
  get memoryBytes(): number {
    return this.memory;
  }

  add(record: RoomRecord): void {
    this.buffer.push(record);
    if (isGroupRecord(record)) return;
    this.messages++;
    this.bytes += record.body.length;
    this.memory += messageMemory(record);
    while (this.messages > this.bounds.messages || this.bytes > this.bounds.bytes) {
      this.takeOldest();
      this.dropped++;
    }
  }

  /** Removes the oldest messages that take so many bytes, and returns their ids. */
  drop(bytes: number): readonly string[] {
    const target = this.memory - bytes;
    const ids: string[] = [];
    while (this.messages > 0 && this.memory > target) ids.push((this.takeOldest() as LiveMessage).id);
    return ids;
  }

  private takeOldest(): LiveMessage | undefined {
    const index = this.buffer.findIndex((record) => !isGroupRecord(record));
    const [record] = this.buffer.splice(index, 1);
    if (record === undefined || isGroupRecord(record)) return undefined;
    this.messages--;
    this.bytes -= record.body.length;
    this.memory -= messageMemory(record);
    return record;
  }
}
