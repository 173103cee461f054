import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { OwnedGroup } from './ownedGroup.js';

/** What the owner of a group needs of the bus. */
export interface RoomLog {
  /** Once it resolves, everything of the room is passed on until `unsubscribe` was called as often. */
  subscribe(room: string): Promise<void>;
  unsubscribe(room: string): void;
}

/** A topic whose messages wait for a group. */
export interface HeldTopic {
  /** The group gets what is behind that which it has, and everything from now on. */
  begin(group: OwnedGroup): void;
  cancel(): void;
}

interface HeldMessage {
  readonly message: LiveMessage;
  readonly offset: number;
}

/** Brings the messages of topics to the groups that collect them. Where a topic has none it costs a look-up. */
export class Intake {
  private readonly rooms: RoomLog;
  private readonly byTopic = new Map<string, Set<OwnedGroup>>();
  /** How many groups collect in each room. */
  private readonly collectors = new Map<string, number>();
  /** Messages of topics with groups that are about to begin. */
  private readonly held = new Map<string, Set<HeldMessage[]>>();

  constructor(rooms: RoomLog) {
    this.rooms = rooms;
  }

  /** `offset`: in the room's log. */
  take(message: LiveMessage, offset: number): void {
    const groups = this.byTopic.get(message.topic);
    if (groups === undefined && this.held.size === 0) return;
    for (const held of this.held.get(message.topic) ?? []) held.push({ message, offset });
    if (groups === undefined) return;
    const own = owned(message);
    for (const group of groups) group.take(own, offset);
  }

  /** Whether a group collects in the room. */
  reads(room: string): boolean {
    return this.collectors.has(room);
  }

  groupsOf(topic: string): Iterable<OwnedGroup> {
    return this.byTopic.get(topic) ?? [];
  }

  /** From when it resolves, messages of the topic are kept for a group that is about to begin. Nothing may come of it. */
  async hold({ room, topic }: { readonly room: string; readonly topic: string }): Promise<HeldTopic> {
    await this.rooms.subscribe(room);
    const messages: HeldMessage[] = [];
    const ofTopic = this.held.get(topic) ?? new Set();
    this.held.set(topic, ofTopic.add(messages));
    const end = (): void => {
      ofTopic.delete(messages);
      if (ofTopic.size === 0) this.held.delete(topic);
    };
    return {
      begin: (group) => {
        end();
        this.add(group);
        if (group.hasLog) for (const { message, offset } of messages) group.take(owned(message), offset);
      },
      cancel: () => {
        end();
        this.rooms.unsubscribe(room);
      },
    };
  }

  remove(group: OwnedGroup): void {
    const { room, topic } = group.record;
    const groups = this.byTopic.get(topic);
    if (!groups?.delete(group)) return;
    if (groups.size === 0) this.byTopic.delete(topic);
    const left = (this.collectors.get(room) ?? 0) - 1;
    if (left > 0) this.collectors.set(room, left);
    else this.collectors.delete(room);
    this.rooms.unsubscribe(room);
  }

  private add(group: OwnedGroup): void {
    const { room, topic } = group.record;
    this.collectors.set(room, (this.collectors.get(room) ?? 0) + 1);
    const groups = this.byTopic.get(topic);
    if (groups) groups.add(group);
    else this.byTopic.set(topic, new Set([group]));
  }
}

/** A message may wait for long: it must not keep the whole buffer in memory that it arrived in. */
const owned = (message: LiveMessage): LiveMessage =>
  message.body.buffer.byteLength > 2 * message.body.length
    ? { ...message, body: new Uint8Array(message.body) }
    : message;
