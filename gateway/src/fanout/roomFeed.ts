import type { ChannelReader, MessageBus } from '@roomwire/shared/ports/messageBus';
import { roomRecords, type RoomRecord } from '@roomwire/shared/wire/bus/roomRecord';

/** The messages of the rooms in which this gateway has subscribers or members of worker groups. */
export class RoomFeed {
  private readonly bus: Pick<MessageBus, 'read'>;
  private reader: ChannelReader | undefined;

  constructor(bus: Pick<MessageBus, 'read'>) {
    this.bus = bus;
  }

  /** Must be called before the first `subscribe`. */
  async start(deliver: (record: RoomRecord, offset: number) => void): Promise<void> {
    this.reader = await this.bus.read(roomRecords, { interest: 'subscribed' }, deliver);
  }

  /** Once it resolves, this gateway receives every message of the room until `unsubscribe` was called as often. */
  async subscribe(room: string): Promise<void> {
    await this.reader?.subscribe(room);
  }

  unsubscribe(room: string): void {
    this.reader?.unsubscribe(room);
  }

  /** Kept messages of the room that are still to be delivered have this offset or a higher one, those that were delivered a lower one. */
  next(room: string): number | undefined {
    return this.reader?.next(room);
  }

  async close(): Promise<void> {
    await this.reader?.close();
  }
}
