import type { HistoryTopic, HistoryView, KeptMessage } from '@roomwire/shared/ports/history';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { comparePlaces, type Place } from '@roomwire/shared/wire/protocol/position';
import { liveMessage } from '../builders/liveMessage.js';

export const historyTopic: HistoryTopic = {
  room: 'project/app/_/room',
  roomId: 'room-1',
  accessScopeId: null,
  name: 'chat',
};

/** The record of one topic in memory, in small pages. */
export class MemoryRecord {
  readonly kept: KeptMessage[] = [];
  epoch = 1_000;
  removedTo: Place | undefined;
  deletedTo: Place | undefined;
  private offset = 0;
  private ordinal = 0;
  private latestAt = 0;

  /** `at`: when it was accepted, Unix milliseconds. Others of the room lie between the messages of the topic. */
  add(at: number, fields: Partial<LiveMessage> = {}): KeptMessage {
    this.offset += 3;
    this.latestAt = Math.max(this.latestAt, at);
    const id = `${at.toString(36).padStart(9, '0')}0001.gateway.c${this.offset}`;
    const { room, name } = historyTopic;
    const kept = {
      place: { epoch: this.epoch, offset: this.offset },
      ordinal: ++this.ordinal,
      latestAt: this.latestAt,
      message: liveMessage({ id, room, topic: `${room}/${name}`, ...fields }),
    };
    this.kept.push(kept);
    return kept;
  }

  /** The oldest ones, as if they had expired. */
  remove(count: number): void {
    this.removedTo = this.kept.splice(0, count).at(-1)?.place ?? this.removedTo;
  }

  delete(): void {
    this.deletedTo = { epoch: this.epoch, offset: this.offset };
    this.kept.length = 0;
  }

  view(pageSize = 3): HistoryView {
    const kept = [...this.kept];
    const last = kept.at(-1);
    const pages = async function* (messages: readonly KeptMessage[]) {
      for (let at = 0; at < messages.length; at += pageSize) yield messages.slice(at, at + pageSize);
    };
    return {
      epoch: this.epoch,
      upTo: this.offset,
      newest:
        this.ordinal === 0 ? undefined : { place: last?.place ?? this.lastPlace, ordinal: this.ordinal },
      removedTo: this.removedTo,
      deletedTo: this.deletedTo,
      removals: async () => ({ removedTo: this.removedTo, deletedTo: this.deletedTo }),
      newestFirst: (before) =>
        pages(kept.filter(({ place }) => !before || comparePlaces(place, before) < 0).reverse()),
      oldestFirst: (after) => pages(kept.filter(({ place }) => !after || comparePlaces(place, after) > 0)),
    };
  }

  private get lastPlace(): Place {
    return { epoch: this.epoch, offset: this.offset };
  }
}
