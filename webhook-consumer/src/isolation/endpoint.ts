/** A good call got an answer, and was not kept waiting for it. */
export type Ended = (isGood: boolean) => void;

/** A call that waits for its turn. */
export interface Waiting {
  readonly room: string;
  readonly bytes: number;
  /** Monotonic clock. */
  readonly since: number;
  /** Its turn has come: `ended` is to be called when it has ended. Undefined: it has to be put off. */
  settle(ended: Ended | undefined): void;
}

interface Room {
  readonly waiting: Waiting[];
  underWay: number;
}

/** [HOOK-ORDER-1] The calls of a room go one after the other, unless more than this many of them wait, or one of them this long. */
const mostInOrder = 32;
const longestInOrderMs = 500;

/** The calls of one endpoint, by room: which of them is next. */
export class CallLanes {
  private readonly rooms = new Map<string, Room>();
  private waitingCalls = 0;

  get waiting(): number {
    return this.waitingCalls;
  }

  get isEmpty(): boolean {
    return this.rooms.size === 0;
  }

  add(call: Waiting): void {
    let room = this.rooms.get(call.room);
    if (room === undefined) this.rooms.set(call.room, (room = { waiting: [], underWay: 0 }));
    room.waiting.push(call);
    this.waitingCalls += 1;
  }

  /** The first call that may start; rooms in turn. */
  next(now: number): Waiting | undefined {
    for (const [name, room] of this.rooms) {
      if (!mayStart(room, now)) continue;
      const call = room.waiting.shift() as Waiting;
      this.waitingCalls -= 1;
      room.underWay += 1;
      this.rooms.delete(name);
      this.rooms.set(name, room);
      return call;
    }
    return undefined;
  }

  ended(name: string): void {
    const room = this.rooms.get(name);
    if (room === undefined) return;
    room.underWay -= 1;
    this.tidy(name, room);
  }

  /** Takes out whatever has waited since before `moment`. */
  takeOlderThan(moment: number): readonly Waiting[] {
    const taken: Waiting[] = [];
    for (const [name, room] of this.rooms) {
      const count = room.waiting.findIndex(({ since }) => since >= moment);
      taken.push(...room.waiting.splice(0, count === -1 ? room.waiting.length : count));
      this.tidy(name, room);
    }
    this.waitingCalls -= taken.length;
    return taken;
  }

  private tidy(name: string, { waiting, underWay }: Room): void {
    if (waiting.length === 0 && underWay === 0) this.rooms.delete(name);
  }
}

const mayStart = ({ waiting, underWay }: Room, now: number): boolean => {
  const [first] = waiting;
  if (first === undefined) return false;
  return underWay === 0 || waiting.length > mostInOrder || now - first.since > longestInOrderMs;
};

/** Whom the calls of one place in a project go to, and how it does. */
export class Endpoint {
  readonly lanes = new CallLanes();
  /** When each call under way began, oldest first. */
  private readonly calls = new Set<{ readonly since: number }>();
  /** What the last call was, once one has ended: bad is one that took long, or came to nothing. */
  private last: 'good' | 'bad' | undefined;

  get underWay(): number {
    return this.calls.size;
  }

  get isIdle(): boolean {
    return this.underWay === 0 && this.lanes.isEmpty;
  }

  /** Slow, too, is one that owes an answer for longer than `slowMs`. */
  isSlow(now: number, slowMs: number): boolean {
    const [oldest] = this.calls;
    return this.last === 'bad' || (oldest !== undefined && now - oldest.since > slowMs);
  }

  /** It keeps up, and has shown it. */
  isProven(now: number, slowMs: number): boolean {
    return this.last === 'good' && !this.isSlow(now, slowMs);
  }

  /** Gives what is to be called when the call has ended. */
  begin({ room }: Pick<Waiting, 'room'>, now: number): Ended {
    const call = { since: now };
    this.calls.add(call);
    return (isGood) => {
      this.calls.delete(call);
      this.last = isGood ? 'good' : 'bad';
      this.lanes.ended(room);
    };
  }
}
