import { createHash } from 'node:crypto';
import { decode } from '@msgpack/msgpack';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { GroupRecord } from '@roomwire/shared/wire/bus/groupRecord';
import { isGroupRecord, roomRecords, type RoomRecord } from '@roomwire/shared/wire/bus/roomRecord';
import type { VirtualTime } from '../time/virtualTime.js';

export interface Published {
  readonly id: number;
  /** The address. */
  readonly topic: string;
  readonly room: string;
  readonly actor: string;
  readonly connection: number;
  readonly qos: number;
  readonly filter: string | undefined;
  readonly isRetained: boolean;
  readonly sentAt: number;
  outcome: 'unanswered' | 'accepted' | 'refused';
  answeredAt: number;
  /** Among the messages on the bus. */
  storedAs: number | undefined;
}

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
  readonly filter: string | undefined;
  readonly from: number;
  /** Until then everything has to come. */
  until: number;
  readonly received: Received[];
}

/** A request that rested on a right, and whether it was granted. */
export interface RightUsed {
  readonly actor: string;
  readonly room: string;
  readonly kind: 'subscribe' | 'publish';
  readonly isGranted: boolean;
  readonly askedAt: number;
  readonly answeredAt: number;
}

export interface Delivered {
  readonly connection: number;
  readonly actor: string;
  readonly topic: string;
  readonly id: number;
  readonly at: number;
  /** The one that it came by; undefined where that is not certain. */
  readonly subscription: Subscribed | undefined;
}

export interface Disturbance {
  readonly from: number;
  readonly to: number;
}

/** Of the trace so many lines are kept, the last ones. */
const keptLines = 200_000;

/** All that clients saw and did, and what happened to the cluster. */
export class History {
  readonly published: Published[] = [];
  readonly subscriptions: Subscribed[] = [];
  readonly deliveries: Delivered[] = [];
  readonly rightsUsed: RightUsed[] = [];
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

  stored(channel: string, key: string, record: unknown): void {
    if (channel !== roomRecords.name) return void this.happened(`bus ${channel} ${key}`);
    const entry = record as RoomRecord;
    if (isGroupRecord(entry)) return void this.happened(`bus group ${textOfCommand(entry)}`);
    const { data } = decode(entry.body) as { data: number };
    const message = this.published[data];
    this.happened(`bus message ${data}`);
    if (message) message.storedAs ??= ++this.stores;
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

/** Without the messages that it carries. */
const textOfCommand = (record: GroupRecord): string =>
  JSON.stringify(record, (name, value: unknown) =>
    name === 'messages' || name === 'held' ? undefined : value,
  );
