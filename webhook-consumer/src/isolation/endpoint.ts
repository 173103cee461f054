/** How a call ended: with a 2xx, with another answer, or without one. */
export type CallEnd = 'accepted' | 'answered' | 'unanswered';

/** Reports the end of a call. A good one was answered in time. */
export type Ended = (isGood: boolean) => void;

/** A call in the queue of its endpoint. */
export interface QueuedCall {
  readonly room: string;
  readonly bytes: number;
  /** Monotonic clock. */
  readonly since: number;
  /** The call may be made, and `ended` must be called when it has ended. Undefined if it must be deferred. */
  settle(ended: Ended | undefined): void;
}

interface Room {
  readonly waiting: QueuedCall[];
  inFlight: number;
}

/** [HOOK-ORDER-1] The calls of a room are made one after another, unless more than this many wait, or the first has waited this long. */
const maxQueuedInOrder = 32;
const maxWaitInOrderMs = 500;

/** The calls of one endpoint, queued by room. */
class CallLanes {
  private readonly rooms = new Map<string, Room>();
  private waitingCalls = 0;

  get waiting(): number {
    return this.waitingCalls;
  }

  get isEmpty(): boolean {
    return this.rooms.size === 0;
  }

  add(call: QueuedCall): void {
    let room = this.rooms.get(call.room);
    if (room === undefined) this.rooms.set(call.room, (room = { waiting: [], inFlight: 0 }));
    room.waiting.push(call);
    this.waitingCalls += 1;
  }

  /** The first call that may start; rooms in turn. */
  next(now: number): QueuedCall | undefined {
    for (const [name, room] of this.rooms) {
      if (!mayStart(room, now)) continue;
      const call = room.waiting.shift() as QueuedCall;
      this.waitingCalls -= 1;
      room.inFlight += 1;
      this.rooms.delete(name);
      this.rooms.set(name, room);
      return call;
    }
    return undefined;
  }

  ended(name: string): void {
    const room = this.rooms.get(name);
    if (room === undefined) return;
    room.inFlight -= 1;
    this.tidy(name, room);
  }

  /** Removes the calls that have waited since before `moment`. */
  takeOlderThan(moment: number): readonly QueuedCall[] {
    const taken: QueuedCall[] = [];
    for (const [name, room] of this.rooms) {
      const count = room.waiting.findIndex(({ since }) => since >= moment);
      taken.push(...room.waiting.splice(0, count === -1 ? room.waiting.length : count));
      this.tidy(name, room);
    }
    this.waitingCalls -= taken.length;
    return taken;
  }

  private tidy(name: string, { waiting, inFlight }: Room): void {
    if (waiting.length === 0 && inFlight === 0) this.rooms.delete(name);
  }
}

const mayStart = ({ waiting, inFlight }: Room, now: number): boolean => {
  const [first] = waiting;
  if (first === undefined) return false;
  return inFlight === 0 || waiting.length > maxQueuedInOrder || now - first.since > maxWaitInOrderMs;
};

/** One webhook URL of a project: its calls, and whether it keeps up. */
export class Endpoint {
  readonly url: string;
  readonly lanes = new CallLanes();
  /** Whether it ever answered 2xx, as far as this process knows. */
  hasAccepted: boolean;
  /** The start of each call in flight, oldest first. */
  private readonly calls = new Set<{ readonly since: number }>();
  /** How the last call ended: a bad one took too long or got no answer. */
  private last: 'good' | 'bad' | undefined;

  constructor(url: string, hasAccepted: boolean) {
    this.url = url;
    this.hasAccepted = hasAccepted;
  }

  get inFlight(): number {
    return this.calls.size;
  }

  get isIdle(): boolean {
    return this.inFlight === 0 && this.lanes.isEmpty;
  }

  /** Also slow while a call has been unanswered for longer than `slowMs`. */
  isSlow(now: number, slowMs: number): boolean {
    const [oldest] = this.calls;
    return this.last === 'bad' || (oldest !== undefined && now - oldest.since > slowMs);
  }

  /** Its last call was answered in time, and no call is late. */
  isProven(now: number, slowMs: number): boolean {
    return this.last === 'good' && !this.isSlow(now, slowMs);
  }

  /** Starts a call. Returns the function that reports its end. */
  begin({ room }: Pick<QueuedCall, 'room'>, now: number): Ended {
    const call = { since: now };
    this.calls.add(call);
    return (isGood) => {
      this.calls.delete(call);
      this.last = isGood ? 'good' : 'bad';
      this.lanes.ended(room);
    };
  }
}

/** The endpoints of one project, and what its calls that wait or are in flight take of the gate. */
export class ProjectCalls {
  readonly projectId: string;
  readonly endpoints = new Map<string, Endpoint>();
  /** Waiting or in flight. */
  calls = 0;
  bytes = 0;
  inFlight = 0;

  constructor(projectId: string) {
    this.projectId = projectId;
  }

  get isIdle(): boolean {
    return this.calls === 0 && this.endpoints.size === 0;
  }

  arrived(bytes: number): void {
    this.calls += 1;
    this.bytes += bytes;
  }

  /** A call that was not made. */
  left(bytes: number): void {
    this.calls -= 1;
    this.bytes -= bytes;
  }

  ended(bytes: number): void {
    this.inFlight -= 1;
    this.left(bytes);
  }
}
