import type { VirtualTime } from '../time/virtualTime.js';

/** `unknown` from the moment a change is asked for until its answer. */
export type Right = 'allowed' | 'denied' | 'unknown';

export interface RightSince {
  readonly right: Right;
  readonly from: number;
  /** Exclusive. */
  until: number;
}

/** What actors may do in rooms, as those who change it have been told. */
export class Rights {
  private readonly time: VirtualTime;
  private readonly spans = new Map<string, RightSince[]>();
  private readonly onChange: (actor: string, room: string) => void;

  constructor(time: VirtualTime, onChange: (actor: string, room: string) => void) {
    this.time = time;
    this.onChange = onChange;
  }

  set(actor: string, room: string, right: Right): void {
    const { now } = this.time;
    const key = `${actor} ${room}`;
    const spans = this.spans.get(key) ?? [];
    this.spans.set(key, spans);
    const last = spans.at(-1);
    if (last) last.until = now;
    spans.push({ right, from: now, until: Infinity });
    this.onChange(actor, room);
  }

  of(actor: string, room: string): Right {
    return this.spans.get(`${actor} ${room}`)?.at(-1)?.right ?? 'unknown';
  }

  /** What held at that time, and since when. */
  at(actor: string, room: string, time: number): RightSince | undefined {
    return this.spans.get(`${actor} ${room}`)?.findLast(({ from }) => from <= time);
  }
}
