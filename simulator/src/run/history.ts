import { createHash } from 'node:crypto';
import { decode } from '@msgpack/msgpack';
import type { Logger } from '@roomwire/shared/ports/logger';
import {
  retainedMessages,
  type LiveMessage,
  type RetainedMessage,
} from '@roomwire/shared/wire/bus/liveMessage';
import { topicOf } from '@roomwire/shared/adapters/history-index/keptTopics';
import { connectionOf } from '@roomwire/shared/wire/bus/messageId';
import type { GroupRecord } from '@roomwire/shared/wire/bus/groupRecord';
import { isGroupRecord, roomRecords, type RoomRecord } from '@roomwire/shared/wire/bus/roomRecord';
import type { VirtualTime } from '../time/virtualTime.js';
import type { HandedOut, JobOptions } from './jobs.js';
import type { Beginning, RecordChange, RecordRead } from './historyReads.js';
import { Published, type Attempt, type Publication } from './published.js';

export interface Received {
  readonly id: number;
  readonly at: number;
  readonly isReplay: boolean;
}

/** From the answer to `subscribe` on, on one connection. */
export interface Subscribed {
  readonly connection: number;
  readonly actor: string;
  readonly topic: string;
  readonly room: string;
  readonly group: string | undefined;
  /** Undefined where the group has no jobs. */
  readonly jobs: JobOptions | undefined;
  readonly filter: string | undefined;
  readonly meta: boolean;
  readonly own: boolean;
  /** Whether the connection was subscribed to the topic before. */
  readonly isAgain: boolean;
  /** Undefined where the answer says nothing of the record. */
  readonly beginning: Beginning | undefined;
  readonly from: number;
  /** Until then everything has to come. */
  until: number;
  readonly received: Received[];
}

/** A member of a group with jobs, as the owner of the group may have it: the answer was that the bus is not there. */
export type DoubtedMember = Pick<
  Subscribed,
  'connection' | 'actor' | 'topic' | 'filter' | 'own' | 'from' | 'until'
>;

/** A request that rested on a right, and whether it was granted. */
export interface RightUsed {
  readonly actor: string;
  readonly room: string;
  readonly kind: 'subscribe' | 'publish';
  readonly isGranted: boolean;
  readonly askedAt: number;
  readonly answeredAt: number;
}

/** [WS-META-2] */
export interface Meta {
  readonly id: string;
  readonly at: number;
  readonly from: string | null;
  /** [WS-HIST-2] Of a message that is kept. */
  readonly position?: string;
}

export interface Delivered {
  readonly connection: number;
  readonly actor: string;
  readonly topic: string;
  readonly id: number;
  readonly at: number;
  /** The one that it came by; undefined where that is not certain. */
  readonly subscription: Subscribed | undefined;
  /** Whether the connection has ever asked for what its own actor publishes to the topic. */
  readonly wasOwn: boolean;
  readonly isReplay: boolean;
  readonly meta: Meta | undefined;
}

export interface Disturbance {
  readonly from: number;
  readonly to: number;
}

/** Longer than the way of a close to its client, and of a frame that crosses it. */
const closingMs = 2_000;
/** Of the trace so many lines are kept, the last ones. */
const keptLines = 200_000;

/** All that clients saw and did, and what happened to the cluster. */
export class History {
  readonly published: Published[] = [];
  readonly attempts: Attempt[] = [];
  /** What connections are called in the ids of messages, as far as that is known. */
  readonly names = new Map<number, string>();
  readonly subscriptions: Subscribed[] = [];
  readonly doubtedMembers: DoubtedMember[] = [];
  readonly deliveries: Delivered[] = [];
  readonly rightsUsed: RightUsed[] = [];
  /** In the order in which they came. */
  readonly jobs: HandedOut[] = [];
  readonly recordReads: RecordRead[] = [];
  readonly recordChanges: RecordChange[] = [];
  readonly disturbances: Disturbance[] = [];
  readonly violations: string[] = [];
  readonly trace: string[] = [];
  private readonly hash = createHash('sha256');
  private readonly time: VirtualTime;
  private readonly isKept: boolean;
  private stores = 0;

  constructor(time: VirtualTime, isKept: boolean) {
    this.time = time;
    this.isKept = isKept;
  }

  /** A line of the trace. */
  happened(what: string): void {
    const line = `${this.time.now.toFixed(3)} ${what}\n`;
    this.hash.update(line);
    if (!this.isKept) return;
    this.trace.push(line);
    if (this.trace.length > 2 * keptLines) this.trace.splice(0, keptLines);
  }

  violated(rule: string, details: string): void {
    this.happened(`VIOLATION ${rule}: ${details}`);
    this.violations.push(`${rule}: ${details}`);
  }

  /** The gateway has closed the connection: what came from then on it has not read. */
  closed(connection: number): void {
    const since = this.time.now - closingMs;
    for (const job of this.jobs)
      if (job.connection === connection)
        for (const answer of job.answers) answer.isUnread ||= answer.at > since;
  }

  /** A message that has not been published yet. */
  publication(actor: string, publication: Publication): Published {
    const message = new Published(this.published.length, actor, publication);
    this.published.push(message);
    return message;
  }

  attempt(message: Published, connection: number): Attempt {
    const attempt: Attempt = {
      ...{ message, connection, sentAt: this.time.now },
      ...{ outcome: 'unanswered', error: undefined, answeredAt: Infinity, isOver: false },
    };
    message.attempts.push(attempt);
    this.attempts.push(attempt);
    return attempt;
  }

  answered(attempt: Attempt, outcome: Attempt['outcome'], error?: string): void {
    Object.assign(attempt, { outcome, error, answeredAt: this.time.now });
    const { message, sentAt: askedAt, answeredAt } = attempt;
    const { actor, room } = message;
    const isGranted = outcome !== 'refused';
    // The backend needs no rights.
    if (actor === '' || (!isGranted && error !== 'unknown_topic' && error !== 'unknown_actor')) return;
    this.rightsUsed.push({ actor, room, kind: 'publish', isGranted, askedAt, answeredAt });
  }

  disturbed(from: number, to: number): void {
    this.disturbances.push({ from, to });
  }

  isDisturbed(from: number, to: number): boolean {
    return this.disturbances.some((each) => each.from < to && from < each.to);
  }

  /** The first moment from `at` on before which nothing has been disturbed for so long. */
  calmSince(at: number, calmMs: number): number {
    let calm = at;
    for (let moved = true; moved;) {
      moved = false;
      for (const { from, to } of this.disturbances)
        if (from < calm && calm < to + calmMs) {
          calm = to + calmMs;
          moved = true;
        }
    }
    return calm;
  }

  stored(channel: string, key: string, record: unknown, offset: number): void {
    if (channel === retainedMessages.name) return this.storedLastValue(key, record as RetainedMessage);
    if (channel !== roomRecords.name) return void this.happened(`bus ${channel} ${key}`);
    const entry = record as RoomRecord;
    if (isGroupRecord(entry)) return void this.happened(`bus group ${textOfCommand(entry)}`);
    const number = numberIn(entry);
    this.happened(`bus message ${number}`);
    const message = this.published[number];
    if (message === undefined) return;
    message.copies.push({
      ...{ place: ++this.stores, at: this.time.now, messageId: entry.id, offset },
      keptIn: entry.kept && topicOf(entry, entry.kept),
    });
    const [first, ...others] = message.attempts;
    if (first && others.length === 0) this.names.set(first.connection, connectionOf(entry.id));
  }

  private storedLastValue(key: string, record: RetainedMessage): void {
    const number = numberIn(record);
    this.happened(`bus ${retainedMessages.name} ${key} ${number}`);
    this.published[number]?.lastValues.push({ at: this.time.now, messageId: record.id });
  }

  loggerOf(name: string): Logger {
    const line = (level: string) => (message: string, fields?: Readonly<Record<string, unknown>>) => {
      const error = fields?.['error'];
      this.happened(`${name} logs ${level}: ${message}${error instanceof Error ? `: ${error.message}` : ''}`);
      // A defect, whatever the engines do: services log what is expected with other levels.
      const isDefect = error instanceof TypeError || error instanceof ReferenceError;
      if (isDefect) this.violated('no defects', `${name}: ${message}: ${error.stack}`);
    };
    return { debug: () => undefined, info: line('info'), warn: line('warn'), error: line('error') };
  }

  /** Of everything that happened, in its order. */
  digest(): string {
    return this.hash.copy().digest('hex').slice(0, 16);
  }
}

export const numberIn = ({ body }: LiveMessage): number => (decode(body) as { data: number }).data;

/** Without the messages that it carries. */
const textOfCommand = (record: GroupRecord): string =>
  JSON.stringify(record, (name, value: unknown) =>
    name === 'messages' || name === 'held' ? undefined : value,
  );
