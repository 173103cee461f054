import type { ClientFrame } from '../../src/protocol/clientFrames.js';
import type { HistoryGap, ServerFrame, StartingPoint } from '../../src/protocol/frames.js';
import { topic } from './harness.js';

/** Where a message of the record stands. */
export const positionOf = (place: number): string => `p${String(place).padStart(4, '0')}`;

/** A topic with history as a server has it: its record, and one connection on which frames are under way. */
export class RecordedTopic {
  /** Whether the filters of the subscriber let each message through; its place is its index, from 1. */
  readonly record: boolean[] = [];
  private readonly mostReplayed: number;
  private expiredTo = 0;
  private isLive = false;
  private underWay: ServerFrame[] = [];

  constructor(mostReplayed: number) {
    this.mostReplayed = mostReplayed;
  }

  publish(isVisible: boolean): void {
    this.record.push(isVisible);
    if (this.isLive && isVisible) this.underWay.push(this.message(this.record.length, false));
  }

  /** Everything but the newest message. */
  expire(): void {
    this.expiredTo = Math.max(0, this.record.length - 1);
  }

  disconnect(): void {
    this.isLive = false;
    this.underWay = [];
  }

  /** The next frame to arrive. */
  take(): ServerFrame | undefined {
    return this.underWay.shift();
  }

  receive(frame: ClientFrame): void {
    if (frame.type !== 'subscribe') return;
    this.isLive = true;
    const { replayed, gap } = this.replayFrom(frame.from as StartingPoint);
    const position = this.record.length === 0 ? '' : positionOf(this.record.length);
    this.underWay.push({ type: 'subscribed', topic, position, gap });
    if (replayed.length === 0) return;
    this.underWay.push({ type: 'replayStart', topic });
    for (const place of replayed) this.underWay.push(this.message(place, true));
    this.underWay.push({ type: 'replayEnd', topic });
  }

  private replayFrom(from: StartingPoint): { replayed: readonly number[]; gap: HistoryGap | undefined } {
    const visible = this.visibleBehind(this.expiredTo);
    if ('last' in from) return { replayed: from.last === 0 ? [] : visible.slice(-from.last), gap: undefined };
    if ('since' in from) return { replayed: visible.slice(-this.mostReplayed), gap: undefined };
    const { position: after } = from;
    const wanted = visible.filter((place) => positionOf(place) > after);
    const replayed = wanted.slice(-this.mostReplayed);
    const before = replayed[0] === undefined ? undefined : positionOf(replayed[0]);
    if (positionOf(this.expiredTo) > after && this.expiredTo > 0)
      return { replayed, gap: { reason: 'expired', after, before } };
    const gap = wanted.length > replayed.length ? { reason: 'limit', after, before } : undefined;
    return { replayed, gap };
  }

  private visibleBehind(place: number): number[] {
    return this.record.flatMap((isVisible, index) => (isVisible && index + 1 > place ? [index + 1] : []));
  }

  private message(place: number, isReplay: boolean): ServerFrame {
    const position = positionOf(place);
    return {
      ...{
        type: 'message',
        topic,
        data: place,
        isReplay,
        meta: { id: position, at: 1, from: null, position },
      },
      ...{ msgId: undefined, requiresAck: false, filter: undefined, delivery: undefined },
    };
  }
}
