import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { isGroupRecord, type RoomRecord } from '@roomwire/shared/wire/bus/roomRecord';
import { withTimeout } from '@roomwire/shared/runtime/waiting';
import { LocalGroup, type LocalGroupDeps } from './localGroup.js';
import { Membership, type GroupKey, type MemberOptions } from './membership.js';
import { Participants, isParticipantRoom, type ParticipantBoard } from './participants.js';

export interface WorkerGroupsDeps extends Pick<
  LocalGroupDeps,
  | 'bus'
  | 'messageStore'
  | 'groupStore'
  | 'clock'
  | 'logger'
  | 'retryMs'
  | 'gatewayId'
  | 'bounds'
  | 'subscribe'
  | 'unsubscribe'
  | 'memory'
  | 'knowsOwn'
> {
  readonly metrics: { groupMessagesDropped: number };
  readonly board: ParticipantBoard;
  /** After this time the other gateways consider a silent one dead. */
  readonly silenceMs: number;
  /** Limit of the time to close while the bus is unavailable. */
  readonly closeMs: number;
}

const tickMs = 1_000;

/** The worker groups in which this gateway has members. */
export class WorkerGroups {
  private readonly deps: WorkerGroupsDeps;
  private readonly participants: Participants;
  private readonly groups = new Map<string, LocalGroup>();
  private readonly byTopic = new Map<string, Set<LocalGroup>>();
  /** By name, the last one that is being closed. */
  private readonly closing = new Map<string, LocalGroup>();
  /** With those that are being closed. */
  private readonly open = new Set<LocalGroup>();
  private readonly timer: NodeJS.Timeout;
  /** Time of the last tick, to detect pauses of the process. */
  private aliveAt: number;
  /** The highest number of a local member so far. */
  private lastNumber = 0;

  constructor(deps: WorkerGroupsDeps) {
    this.deps = deps;
    this.participants = new Participants(deps.gatewayId, deps.board);
    this.aliveAt = deps.clock.monotonic();
    this.timer = setInterval(() => this.tick(), tickMs).unref();
  }

  /** Groups in which this gateway has members, or is about to. */
  get size(): number {
    return this.groups.size;
  }

  /** The open messages of these groups. */
  get messages(): number {
    let messages = 0;
    for (const { machine } of this.groups.values()) messages += machine.state?.open.size ?? 0;
    return messages;
  }

  join(options: MemberOptions): Membership {
    return new Membership(options, this.groupAt(options));
  }

  /** Every record of a room. Where the topic has no group here it costs a look-up. */
  take(record: RoomRecord): void {
    if (isGroupRecord(record)) {
      const group = this.groups.get(nameOf(record));
      if (group === undefined) return;
      this.noticePause();
      return group.command(record);
    }
    const groups = this.byTopic.get(record.topic);
    if (groups === undefined) return;
    this.noticePause();
    const message = owned(record);
    for (const group of groups) group.message(message);
  }

  /** The presence in a room has changed; in some of them gateways are present. */
  onTransition({ room }: { readonly room: string }): void {
    if (isParticipantRoom(room)) this.participants.onTransition(room);
  }

  /** A presence of this gateway has been announced. */
  onOwnPresence(connection: number, room: string): void {
    if (isParticipantRoom(room)) this.participants.onOwnPresence(connection, room);
  }

  /** Once a second. */
  tick(): void {
    this.noticePause();
    for (const group of this.groups.values()) group.tick();
  }

  /** All members must have left. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await withTimeout(this.deps.closeMs, this.allClosed(), () => undefined, { unref: true });
    for (const group of this.open) group.abandon();
  }

  private async allClosed(): Promise<void> {
    while (this.open.size > 0) {
      await Promise.all([...this.open].map((group) => group.closed));
      await new Promise(setImmediate);
    }
  }

  private groupAt({ room, topic, group }: GroupKey): LocalGroup {
    const key = { room, topic, group };
    const name = nameOf(key);
    const known = this.groups.get(name);
    if (known !== undefined) return known;
    const opened = new LocalGroup(key, this.groupDeps(this.closing.get(name)));
    this.groups.set(name, opened);
    this.open.add(opened);
    const ofTopic = this.byTopic.get(topic);
    if (ofTopic) ofTopic.add(opened);
    else this.byTopic.set(topic, new Set([opened]));
    return opened;
  }

  private groupDeps(predecessor: LocalGroup | undefined): LocalGroupDeps {
    const { metrics } = this.deps;
    return {
      ...this.deps,
      participants: this.participants,
      predecessor,
      lastNumber: this.lastNumber,
      noticePause: () => this.noticePause(),
      dropped: (messages) => void (metrics.groupMessagesDropped += messages),
      ended: (group) => this.ended(group),
    };
  }

  private ended(group: LocalGroup): void {
    const { key, machine } = group;
    this.lastNumber = Math.max(this.lastNumber, machine.highestNumber);
    const name = nameOf(key);
    if (this.groups.get(name) === group) this.groups.delete(name);
    this.closing.set(name, group);
    const ofTopic = this.byTopic.get(key.topic);
    ofTopic?.delete(group);
    if (ofTopic?.size === 0) this.byTopic.delete(key.topic);
    // `closed` is the promise of its end only when this call has returned.
    queueMicrotask(() => void group.closed.finally(() => this.closed(group, name)));
  }

  private closed(group: LocalGroup, name: string): void {
    this.open.delete(group);
    if (this.closing.get(name) === group) this.closing.delete(name);
  }

  /** The others may have declared this gateway dead if the process was paused for long. */
  private noticePause(): void {
    const now = this.deps.clock.monotonic();
    const hasPaused = now - this.aliveAt > (this.deps.silenceMs * 2) / 3;
    this.aliveAt = now;
    if (hasPaused) for (const { machine } of this.groups.values()) machine.paused();
  }
}

/** A message may stay open for long: it must not keep the whole buffer in memory that it arrived in. */
const owned = (message: LiveMessage): LiveMessage =>
  message.body.buffer.byteLength > 2 * message.body.length
    ? { ...message, body: new Uint8Array(message.body) }
    : message;

const nameOf = ({ topic, group }: Pick<GroupKey, 'topic' | 'group'>): string => `${topic}\n${group}`;
