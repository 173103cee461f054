import type { Buffer } from 'node:buffer';
import { setTimeout as pause } from 'node:timers/promises';
import { endOf, type HistoryTopic, type HistoryView, type KeptMessage } from '@roomwire/shared/ports/history';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { binaryFrame } from '@roomwire/shared/wire/protocol/encodeFrames';
import type { Place } from '@roomwire/shared/wire/protocol/position';
import type { ClientOutbox } from '../access/client.js';
import type { Hold } from './hold.js';
import { frameWithMeta, type ReplayFrames } from './replayFrames.js';

type ReaderOutbox = Pick<ClientOutbox, 'push' | 'waitingBytes' | 'isOpen'>;

/** A subscription that gets what was published before its live messages, which are held meanwhile. */
export interface Replaying {
  readonly meta: boolean;
  readonly outbox: ReaderOutbox;
  /** It has been sent a message that is, or was, the last value of its topic. */
  sentLive(value: { readonly stamp: string; readonly id: string }): void;
  /** Whether it would have got a message live. */
  wouldGet(message: LiveMessage): boolean;
  isHeldBy(hold: Hold): boolean;
  /** From now on its messages go to the client at once. */
  letGo(hold: Hold): void;
  /** It has been sent all that came before, and what was held meanwhile. */
  caughtUp(sent: ReplayExtent): void;
}

/** What a subscription was sent of the record. */
export interface ReplayExtent {
  /** Of the oldest message; undefined for none. */
  readonly first: Place | undefined;
  /** Up to which nothing came live to one that is new; undefined where everything did. */
  readonly upTo: Place | undefined;
}

export interface ReplayDeps {
  readonly topic: HistoryTopic;
  readonly frames: Pick<ReplayFrames, 'of'>;
  /** The record as it is now. */
  readonly look: () => Promise<HistoryView>;
  readonly replayed: (kept: Pick<KeptMessage, 'message' | 'place'>) => void;
  readonly delivered: (messages: number) => void;
  readonly failed: (error: unknown) => void;
}

/** Bytes that a client has not read, before it is sent more: far below what closes a slow one. */
const aheadBytes = 256 * 1024;
const [firstPollMs, longestPollMs] = [10, 200] as const;
const retryMs = 1_000;

/** [WS-HIST-10] Resolves when the client has read most of what it was sent; at once where that need not be waited for. */
export const untilRead = async (outbox: ReaderOutbox, isOver: () => boolean): Promise<void> => {
  for (let waitMs: number = firstPollMs; outbox.waitingBytes > aheadBytes && !isOver();) {
    await pause(waitMs, undefined, { ref: false });
    waitMs = Math.min(longestPollMs, waitMs * 2);
  }
};

/** [WS-HIST-7] One subscription on its way from the record to its live messages. */
export class Replay {
  private readonly subscription: Replaying;
  private readonly hold: Hold;
  private readonly deps: ReplayDeps;
  private first: Place | undefined;
  private upTo: Place | undefined;

  constructor(subscription: Replaying, hold: Hold, deps: ReplayDeps) {
    this.subscription = subscription;
    this.hold = hold;
    this.deps = deps;
  }

  /** Sends what was selected, the oldest first. It is as much as a client may be sent at once. */
  send(messages: readonly KeptMessage[]): void {
    const { topic, frames, replayed } = this.deps;
    this.first = messages[0]?.place;
    for (const kept of messages) {
      replayed(kept);
      this.noteValue(kept);
      this.subscription.outbox.push(frames.of(topic, kept, this.subscription));
    }
    this.deps.delivered(messages.length);
  }

  /**
   * Resolves when its messages are live, or it is over. What came behind that place is held; where that was too much it is in the
   * record, and is read from there as fast as the client reads. Never rejects.
   */
  async goLive(upTo: Place): Promise<void> {
    this.upTo = upTo;
    this.hold.read(upTo);
    await this.catchUp();
  }

  /**
   * Sends what came since the subscription is held and is in the view. Rejects with `EngineUnavailable` where some of that has to be
   * read: what was not sent is then still to come.
   */
  async sendHeld(view: HistoryView): Promise<void> {
    if (this.hold.hasLeftOut && !(await this.sendPages(view))) return;
    this.sendAll(this.hold.read(endOf(view)));
  }

  /** As `goLive`, for one that lacks only what came since it is held; at once, unless that was too much. */
  release(): void {
    if (this.hold.hasLeftOut) void this.catchUp();
    else this.passOn();
  }

  private async catchUp(): Promise<void> {
    while (await this.isRead()) {
      if (!this.hold.hasLeftOut) return this.passOn();
      this.hold.beginAnew();
      const view = await this.lookAgain();
      if (view === undefined || !(await this.sendBehind(view))) return;
      this.hold.filled(endOf(view));
    }
  }

  /** Sends what is held, and holds nothing more. */
  private passOn(): void {
    // Not while the audience is gone through, which it changes.
    const letGo = (): void => queueMicrotask(() => this.subscription.letGo(this.hold));
    this.sendAll(this.hold.passOn({ push: (frame) => this.subscription.outbox.push(frame), passed: letGo }));
    this.subscription.caughtUp({ first: this.first, upTo: this.upTo });
  }

  private get isOver(): boolean {
    return !this.subscription.outbox.isOpen || !this.subscription.isHeldBy(this.hold);
  }

  private async isRead(): Promise<boolean> {
    await untilRead(this.subscription.outbox, () => this.isOver);
    return !this.isOver;
  }

  private async lookAgain(): Promise<HistoryView | undefined> {
    for (;;)
      try {
        return await this.deps.look();
      } catch (error) {
        if (!(await this.waitOut(error))) return undefined;
      }
  }

  private async sendBehind(view: HistoryView): Promise<boolean> {
    for (;;)
      try {
        return await this.sendPages(view);
      } catch (error) {
        if (!(await this.waitOut(error))) return false;
      }
  }

  /** Sends what the subscription lacks of a view. Resolves with false where it is over before. */
  private async sendPages(view: HistoryView): Promise<boolean> {
    for await (const page of view.oldestFirst(this.hold.upTo)) {
      // Another hold goes on from there, and sends this page.
      if (this.isOver) return false;
      const missing = page.filter(({ message }) => this.subscription.wouldGet(message));
      for (const kept of missing) this.push(kept);
      this.deps.delivered(missing.length);
      const last = page.at(-1);
      if (last !== undefined) this.hold.read(last.place);
      // Not before the next page is fetched: it would wait here, in memory.
      if (!(await this.isRead())) return false;
    }
    return !this.isOver;
  }

  /** The client has all that it was sent: it waits until the engine is back. */
  private async waitOut(error: unknown): Promise<boolean> {
    this.deps.failed(error);
    await pause(retryMs, undefined, { ref: false });
    return !this.isOver;
  }

  private sendAll(frames: readonly Buffer[]): void {
    for (const frame of frames) this.subscription.outbox.push(frame);
    this.deps.delivered(frames.length);
  }

  /** [WS-HIST-7] It does not come once more as the last value, which may reach this gateway late. */
  private noteValue({ message: { id, retention } }: Pick<KeptMessage, 'message'>): void {
    if (retention) this.subscription.sentLive({ stamp: retention.stamp, id });
  }

  private push({ message, place }: Pick<KeptMessage, 'message' | 'place'>): void {
    const { meta, outbox } = this.subscription;
    const { body } = message;
    this.noteValue({ message });
    outbox.push(meta ? frameWithMeta(this.deps.topic, { message, place }, body) : binaryFrame(body));
  }
}
