import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { FrameReader, type Unit } from './frameReader.js';
import { reset } from './reset.js';

export type Direction = 'server' | 'client';

/** What becomes of a unit, and of its connection. */
export type Verdict = 'pass' | 'cutBefore' | 'cutWithin' | 'cutAfter' | 'hold' | 'lose';

export interface WayContext {
  readonly to: Direction;
  /** Milliseconds by which what comes now is late. */
  delayMs(): number;
  /** Of each unit, once. */
  onArrival(unit: Unit): void;
  judge(unit: Unit): Verdict;
  /** Ends both ends of the connection at once. */
  cut(): void;
  /** Takes away what goes either way from now on. */
  lose(): void;
}

/** One direction of a connection. Whole units pass, in their order. */
export class Way {
  private readonly from: Socket;
  private readonly target: Socket;
  private readonly context: WayContext;
  private readonly reader = new FrameReader();
  private readonly held: Unit[] = [];
  private isHeld = false;
  private isLost = false;
  private hasEnded = false;
  /** What is late, one behind the other; undefined while nothing was. */
  private late: Promise<void> | undefined;

  constructor(from: Socket, target: Socket, context: WayContext) {
    this.from = from;
    this.target = target;
    this.context = context;
    from.on('data', (bytes: Buffer) => this.take(bytes));
    // A reset ends the way as well, behind what has come before.
    from.once('close', () => this.end());
    from.once('end', () => this.end());
  }

  hold(): void {
    this.isHeld = true;
  }

  release(): void {
    this.isHeld = false;
    for (const unit of this.held.splice(0)) this.judge(unit);
    if (this.hasEnded && !this.isHeld) this.endBehind();
  }

  lose(): void {
    this.isLost = true;
  }

  private take(bytes: Buffer): void {
    for (const unit of this.reader.push(bytes)) {
      this.context.onArrival(unit);
      this.judge(unit);
    }
  }

  private judge(unit: Unit): void {
    if (this.isLost) return;
    if (this.isHeld) return void this.held.push(unit);
    switch (this.context.judge(unit)) {
      case 'pass':
        return this.forward(unit);
      case 'hold':
        this.hold();
        return void this.held.push(unit);
      case 'lose':
        return this.context.lose();
      case 'cutBefore':
        this.isLost = true;
        return this.context.cut();
      case 'cutWithin':
        return this.last(unit.bytes.subarray(0, Math.ceil(unit.bytes.length / 2)));
      case 'cutAfter':
        return this.last(unit.bytes);
    }
  }

  /** Arrives, and nothing behind it does. */
  private last(bytes: Buffer): void {
    this.isLost = true;
    this.target.write(bytes, () => {
      // Behind the bytes, which a reset would take away.
      this.target.end();
      reset(this.from);
    });
  }

  private forward({ bytes }: Unit): void {
    const delayMs = this.context.delayMs();
    if (delayMs === 0 && this.late === undefined) return void this.target.write(bytes);
    const due = performance.now() + delayMs;
    this.late = (this.late ?? Promise.resolve()).then(async () => {
      await pause(Math.max(0, due - performance.now()));
      if (!this.isLost) this.target.write(bytes);
    });
  }

  private end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    if (!this.isHeld && !this.isLost) this.endBehind();
  }

  private endBehind(): void {
    void (this.late ?? Promise.resolve()).then(() => this.target.end());
  }
}
