import { nothing, type Schedule } from '../environment.js';

export interface HeartbeatTimes {
  /** From one heartbeat to the next, in milliseconds. The server ends a connection after 60 s without a frame. */
  readonly intervalMs: number;
  /** A connection on which nothing arrives for this long after a heartbeat is dead, in milliseconds. */
  readonly timeoutMs: number;
}

export interface HeartbeatEvents {
  onBeat(): void;
  onDead(): void;
}

/** Sends heartbeats and notices when nothing comes back. Any frame is a sign of life. */
export class Heartbeat {
  private readonly times: HeartbeatTimes;
  private readonly schedule: Schedule;
  private readonly events: HeartbeatEvents;
  private cancelBeat = nothing;
  private cancelDeath: (() => void) | undefined;

  constructor(times: HeartbeatTimes, schedule: Schedule, events: HeartbeatEvents) {
    this.times = times;
    this.schedule = schedule;
    this.events = events;
  }

  start(): void {
    this.cancelBeat = this.schedule(() => this.beat(), this.times.intervalMs);
  }

  heard(): void {
    this.cancelDeath?.();
    this.cancelDeath = undefined;
  }

  stop(): void {
    this.cancelBeat();
    this.heard();
  }

  private beat(): void {
    // Counted from the first unanswered heartbeat, also when the interval is the shorter of the two.
    this.cancelDeath ??= this.schedule(() => this.events.onDead(), this.times.timeoutMs);
    this.start();
    this.events.onBeat();
  }
}
