import type { HistoryGap, MessageMeta, StartingPoint, SubscribedFrame } from '../protocol/frames.js';
import { follows, needsMeta, startOf, type SubscribeOptions } from './subscribeOptions.js';

/**
 * How far a subscription has come in the history of its topic, over all connections: behind the newest message that was delivered, and
 * not before a replay is complete behind what it left out.
 */
export class Cursor {
  private readonly isFollowing: boolean;
  private readonly isPositioned: boolean;
  private start: StartingPoint | undefined;
  private reached: string | undefined;
  private asked: StartingPoint | undefined;
  private isConfirmed = false;
  private isReplayed = false;
  /** The newest message when the server last confirmed. */
  private end: string | undefined;

  constructor(options: SubscribeOptions) {
    this.isFollowing = follows(options);
    this.isPositioned = needsMeta(options);
    this.start = startOf(options);
  }

  /** Undefined until it is known, and where not every message says its own. */
  get position(): string | undefined {
    if (this.reached !== undefined) return this.reached;
    return isPlace(this.start) ? this.start.position : undefined;
  }

  /** Whether the server has answered once. */
  get hasBegun(): boolean {
    return this.isConfirmed;
  }

  /** Whether the subscription begins at a point: then nothing that comes before the server's answer counts. */
  get isPlaced(): boolean {
    return (this.asked ?? this.next) !== undefined;
  }

  /** Where the next request to subscribe begins. */
  get next(): StartingPoint | undefined {
    const position = this.position ?? this.positionWithoutReplay;
    return this.isFollowing && position !== undefined ? { position } : this.start;
  }

  /** It was sent. */
  request(from: StartingPoint | undefined): void {
    this.asked = from;
    if (isPlace(from)) this.start = from;
  }

  /** The messages that are missing, if any are. */
  subscribed({ position, gap = this.doubtAt(position) }: SubscribedFrame): HistoryGap | undefined {
    const { asked } = this;
    this.isConfirmed = true;
    this.isReplayed = false;
    if (!this.isFollowing) this.start = undefined;
    if (gap?.reason === 'unknown') this.restart();
    this.end = position;
    if (replaysNothing(asked, position)) this.replayEnded();
    return gap;
  }

  replayStarted(): void {
    this.isReplayed = true;
  }

  /** What lies behind the last one of a replay was not meant for this subscription. */
  replayEnded(): void {
    this.moveTo(this.end);
  }

  delivered(meta: MessageMeta | undefined): void {
    this.moveTo(meta?.position);
  }

  /** Earlier messages are requested again: it is unknown whether they reach back to those that followed the first request. */
  private doubtAt(position: string | undefined): HistoryGap | undefined {
    // What does not follow the topic is promised nothing over a reconnect.
    if (!this.isFollowing) return undefined;
    const isSure = isPlace(this.asked) || this.end === undefined || this.end === position;
    return isSure ? undefined : { reason: 'unknown', after: this.end, before: undefined };
  }

  /** There were no earlier messages: the replay begins with the answer. */
  private get positionWithoutReplay(): string | undefined {
    return isPlace(this.asked) || this.isReplayed ? undefined : this.end;
  }

  /** The server does not know the position: those that follow are of another order. */
  private restart(): void {
    this.reached = undefined;
    this.end = undefined;
  }

  private moveTo(position: string | undefined): void {
    // Later positions sort behind earlier ones as text.
    if (!this.isPositioned || position === undefined) return;
    if (this.reached === undefined || position > this.reached) this.reached = position;
  }
}

const isPlace = (point: StartingPoint | undefined): point is { readonly position: string } =>
  point !== undefined && 'position' in point;

/** Whether no replay can follow, so that the subscription has come as far as the topic. */
const replaysNothing = (asked: StartingPoint | undefined, position: string | undefined): boolean =>
  asked === undefined || position === '' || ('last' in asked && asked.last === 0);
