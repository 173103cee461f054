import type { Buffer } from 'node:buffer';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { comparePlaces, type Place } from '@roomwire/shared/wire/protocol/position';
import type { Holding } from '../fanout/subscriber.js';

/** Of all replays of a gateway together: the memory in which messages wait. */
export class ReplayMemory {
  private readonly most: number;
  private taken = 0;

  constructor(most: number) {
    this.most = most;
  }

  get bytes(): number {
    return this.taken;
  }

  /** Returns false, and takes nothing, where there is not so much. */
  take(bytes: number): boolean {
    if (this.taken + bytes > this.most) return false;
    this.taken += bytes;
    return true;
  }

  give(bytes: number): void {
    this.taken -= bytes;
  }
}

/** What is beyond is read from the record: it costs a read and no memory. */
const mostBytes = 1024 * 1024;

/** Where live messages go once nothing has to be sent before them. */
interface Passing {
  readonly push: (frame: Buffer) => void;
  /** May be called more than once, and while an audience is gone through. */
  readonly passed: () => void;
}

interface HeldFrame {
  readonly frame: Buffer;
  /** Undefined for what is not in the record. */
  readonly place: Place | undefined;
}

/** The live messages of one subscription, in their order, while it gets what was published before. */
export class Hold implements Holding {
  isForReplay: boolean;
  private readonly memory: Pick<ReplayMemory, 'take' | 'give'>;
  private frames: HeldFrame[] = [];
  private bytes = 0;
  private isFull = false;
  /** Whether some behind `readTo` are neither held nor sent. */
  private isShort = false;
  /** Up to here the subscription has what there is. */
  private readTo: Place | undefined;
  private passing: Passing | undefined;

  constructor(memory: Pick<ReplayMemory, 'take' | 'give'>, isForReplay = true) {
    this.memory = memory;
    this.isForReplay = isForReplay;
  }

  /** Whether some were not kept: they have to be read from the record, behind `upTo`. */
  get hasLeftOut(): boolean {
    return this.isShort;
  }

  /** Up to where the subscription has what there is; undefined where that is not known. */
  get upTo(): Place | undefined {
    return this.readTo;
  }

  take(frame: Buffer, { place }: Pick<LiveMessage, 'place'>): void {
    if (this.hasBeenRead(place)) return;
    if (this.passing !== undefined) this.pass(frame, place, this.passing);
    // Of what is left out only the first matters.
    else if (!this.isFull || !this.isShort) this.keep({ frame, place });
  }

  /** What the same subscription lacks of another hold waits in this one, which is new. */
  takeOver(other: Hold): void {
    this.readTo = other.readTo;
    this.isForReplay ||= other.isForReplay;
    this.isShort = this.isFull = other.isShort;
    if (!this.isShort) {
      [this.frames, this.bytes] = [other.frames, other.bytes];
      [other.frames, other.bytes] = [[], 0];
    }
    other.clear();
  }

  /** Keeps from now on what comes. What was left out is to be read from a view that is taken after; `filled` must follow. */
  beginAnew(): void {
    this.clear();
    this.isFull = false;
  }

  /** The view was read to its end, which is there: nothing is missing any more but what did not fit since `beginAnew`. */
  filled(to: Place): void {
    this.read(to);
    this.isShort = this.isFull;
  }

  /** What stands up to there was read from the record, also what has yet to come live. Returns what was held of it. */
  read(to: Place): readonly Buffer[] {
    this.readTo = to;
    return this.release(this.frames.filter(({ place }) => this.hasBeenRead(place)));
  }

  /**
   * Returns what is held, and passes on what comes. Once one has come that was not read, none will come that was: the
   * hold has had its time.
   */
  passOn(to: Passing): readonly Buffer[] {
    this.passing = to;
    return this.release(this.frames);
  }

  clear(): void {
    this.release(this.frames);
  }

  private hasBeenRead(place: Place | undefined): boolean {
    return place !== undefined && this.readTo !== undefined && comparePlaces(place, this.readTo) <= 0;
  }

  private pass(frame: Buffer, place: Place | undefined, { push, passed }: Passing): void {
    push(frame);
    if (place !== undefined) passed();
  }

  private keep(held: HeldFrame): void {
    const { length } = held.frame;
    this.isFull ||= this.bytes + length > mostBytes || !this.memory.take(length);
    if (this.isFull) return this.leaveOut(held);
    this.bytes += length;
    this.frames.push(held);
  }

  /** Everything before the first that it gives up has been sent. */
  private leaveOut(last: HeldFrame): void {
    const first = [...this.frames, last].find(({ place }) => place !== undefined)?.place;
    if (first !== undefined && !this.isShort) {
      this.readTo = { epoch: first.epoch, offset: first.offset - 1 };
      this.isShort = true;
    }
    this.clear();
  }

  private release(released: readonly HeldFrame[]): readonly Buffer[] {
    const gone = new Set(released);
    const frames = released.map(({ frame }) => frame);
    const bytes = frames.reduce((sum, { length }) => sum + length, 0);
    this.frames = this.frames.filter((held) => !gone.has(held));
    this.bytes -= bytes;
    this.memory.give(bytes);
    return frames;
  }
}
