import { setTimeout as pause } from 'node:timers/promises';
import type { LogPosition } from '../../ports/eventLog.js';

interface Waiter {
  readonly position: LogPosition;
  readonly settle: (reached: boolean) => void;
}

/** Callers that wait until a checkpoint has reached their position. */
export class PositionWaiters {
  private readonly waiters = new Set<Waiter>();

  wait(position: LogPosition, withinMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (reached: boolean): void => {
        clearTimeout(timer);
        this.waiters.delete(waiter);
        resolve(reached);
      };
      const waiter: Waiter = { position, settle };
      const timer = setTimeout(settle, withinMs, false);
      this.waiters.add(waiter);
    });
  }

  reached(position: LogPosition): void {
    for (const waiter of this.waiters) if (waiter.position <= position) waiter.settle(true);
  }

  /** Answers all waiting callers: the position was not reached. */
  close(): void {
    for (const waiter of this.waiters) waiter.settle(false);
  }
}

const firstPauseMs = 2;
const longestPauseMs = 20;
/** While the engine does not answer. */
const unreachablePauseMs = 100;

/** Polls a checkpoint that other processes move, for all callers that wait for a position; idle while there are none. */
export class CheckpointPoller {
  private readonly read: () => Promise<LogPosition | undefined>;
  private readonly waiters = new PositionWaiters();
  private waiting = 0;
  private pauseMs = firstPauseMs;
  private isPolling = false;

  constructor(read: () => Promise<LogPosition | undefined>) {
    this.read = read;
  }

  async wait(position: LogPosition, withinMs: number): Promise<boolean> {
    this.waiting += 1;
    // A new caller most likely waits for the next write.
    this.pauseMs = firstPauseMs;
    const answer = this.waiters.wait(position, withinMs);
    void this.poll();
    try {
      return await answer;
    } finally {
      this.waiting -= 1;
    }
  }

  reached(position: LogPosition): void {
    this.waiters.reached(position);
  }

  close(): void {
    this.waiters.close();
  }

  private async poll(): Promise<void> {
    if (this.isPolling) return;
    this.isPolling = true;
    while (this.waiting > 0) {
      await pause(this.pauseMs);
      this.pauseMs = Math.min(longestPauseMs, this.pauseMs * 1.5);
      try {
        const checkpoint = await this.read();
        if (checkpoint !== undefined) this.waiters.reached(checkpoint);
      } catch {
        // Waiting callers time out; reads report the reason.
        this.pauseMs = unreachablePauseMs;
      }
    }
    this.isPolling = false;
  }
}
