import { EngineUnavailable, type EngineUse } from '../../ports/errors.js';
import type { Logger } from '../../ports/logger.js';
import { pack, unpack, type Four, type Packet, type Posted } from './packet.js';
import { packError, unpackError, type ThrownError } from './thrownErrors.js';

/** One end of the way between two threads: a `MessagePort`, or a `Worker` as its owner has it. */
export interface ThreadPort {
  postMessage(message: unknown, transferred?: readonly ArrayBuffer[]): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

/** What the other thread may call. Results and arguments are cloned. */
export type Served = Readonly<Record<string, (...given: never[]) => unknown>>;

/** For what there is very much of: numbers and bytes, with no names. Of a call the first number is the id. */
export type ServedLane = (numbers: Four, bytes: Uint8Array, extra: unknown) => unknown;

/** The other thread has ended, or the link to it: whether a call was carried out is not known. */
export class LinkClosed extends Error {
  override readonly name = 'LinkClosed';

  constructor() {
    super('The other thread has ended');
  }
}

type Given = readonly unknown[];
type Named = readonly [service: string, method: string, given: Given];

/** Those of lanes come behind. */
const kinds = { call: 0, tell: 1, answer: 2, failure: 3, laneCall: 8, laneTell: 16 } as const;

interface Calling {
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
  readonly subject: unknown;
}

const nothing = new Uint8Array();

/**
 * Calls between two threads. Everything arrives in the order in which it was posted, calls, answers and what is merely told. What is posted within one
 * turn of the event loop travels as one message, because each message costs more than what is in it.
 */
export class ThreadLink {
  private readonly port: ThreadPort;
  private readonly logger: Logger;
  private readonly services = new Map<string, Served>();
  private readonly lanes: ServedLane[] = [];
  private readonly calls = new Map<number, Calling>();
  private posted: Posted[] = [];
  private lastId = 0;
  private isClosed = false;

  constructor(port: ThreadPort, logger: Logger) {
    this.port = port;
    this.logger = logger;
    port.on('message', (packet) => unpack(packet as Packet, (posted) => this.take(posted)));
  }

  get isOpen(): boolean {
    return !this.isClosed;
  }

  serve(service: string, served: Served): void {
    this.services.set(service, served);
  }

  /** `lane`: from 0 to 7. */
  serveLane(lane: number, served: ServedLane): void {
    this.lanes[lane] = served;
  }

  /** Rejects with what the other thread has thrown, or with `LinkClosed`. */
  call<T>(service: string, method: string, ...given: Given): Promise<T> {
    const named: Named = [service, method, given];
    return this.begin(undefined, (id) => this.post(kinds.call, [id, 0, 0, 0], undefined, named));
  }

  /** The bytes are copied. `subject`: what the call is about; it stays here. */
  callLane<T>(lane: number, number: number, bytes: Uint8Array, extra: unknown, subject: unknown): Promise<T> {
    return this.begin(subject, (id) => this.post(kinds.laneCall + lane, [id, number, 0, 0], bytes, extra));
  }

  /** What a call that is under way is about. */
  subjectOf(id: number): unknown {
    return this.calls.get(id)?.subject;
  }

  /** As `call`, of a port that the other thread has: where the thread has ended, its engine is out of reach. */
  callPort<T>(use: EngineUse, service: string, method: string, ...given: Given): Promise<T> {
    return ofPort(use, this.call<T>(service, method, ...given));
  }

  /** Nobody waits for it. */
  tell(service: string, method: string, ...given: Given): void {
    this.post(kinds.tell, [0, 0, 0, 0], undefined, [service, method, given] satisfies Named);
  }

  /** The bytes are copied. */
  tellLane(lane: number, numbers: Four, bytes?: Uint8Array, extra?: unknown): void {
    this.post(kinds.laneTell + lane, numbers, bytes, extra);
  }

  /** Nothing is posted or taken any more; what is open is rejected. */
  close(): void {
    this.isClosed = true;
    this.posted = [];
    for (const { reject } of this.calls.values()) reject(new LinkClosed());
    this.calls.clear();
  }

  private begin<T>(subject: unknown, post: (id: number) => void): Promise<T> {
    if (this.isClosed) return Promise.reject(new LinkClosed());
    const id = (this.lastId += 1);
    return new Promise<T>((resolve, reject) => {
      this.calls.set(id, { resolve, reject, subject });
      post(id);
    });
  }

  private post(kind: number, numbers: Four, bytes: Uint8Array | undefined, extra: unknown): void {
    if (this.isClosed) return;
    this.posted.push({ kind, numbers, bytes, extra });
    if (this.posted.length === 1) setImmediate(() => this.flush());
  }

  private flush(): void {
    const { posted } = this;
    if (posted.length === 0) return;
    this.posted = [];
    try {
      this.send(posted);
    } catch (error) {
      this.sendSingly(posted, error);
    }
  }

  private send(posted: readonly Posted[]): void {
    const packet = pack(posted);
    this.port.postMessage(packet, packet.bytes && [packet.bytes.buffer as ArrayBuffer]);
  }

  /** One of them cannot be cloned: the others are not to suffer for it. */
  private sendSingly(posted: readonly Posted[], error: unknown): void {
    if (posted.length > 1) {
      for (const one of posted) {
        this.posted = [one];
        this.flush();
      }
      return;
    }
    const [one] = posted;
    if (one === undefined) return;
    const { kind, numbers } = one;
    if (kind === kinds.answer)
      this.send([{ kind: kinds.failure, numbers, bytes: undefined, extra: packError(error) }]);
    else if (isCall(kind)) this.settle(numbers[0], ({ reject }) => reject(error));
    else this.logger.error('Something could not be told to another thread', { error });
  }

  private take({ kind, numbers, bytes, extra }: Posted): void {
    if (this.isClosed) return;
    const [id] = numbers;
    if (kind === kinds.answer) this.settle(id, ({ resolve }) => resolve(extra as never));
    else if (kind === kinds.failure)
      this.settle(id, ({ reject }) => reject(unpackError(extra as ThrownError)));
    else if (kind < kinds.laneCall) this.takeNamed(kind, id, extra as Named);
    else {
      const invoke = (): unknown => this.lanes[kind & 7]?.(numbers, bytes ?? nothing, extra);
      if (isCall(kind)) void this.carryOut(id, invoke);
      else this.hear({ lane: kind & 7 }, invoke);
    }
  }

  private takeNamed(kind: number, id: number, [service, method, given]: Named): void {
    const invoke = (): unknown => this.invoke(service, method, given);
    if (kind === kinds.call) void this.carryOut(id, invoke);
    else this.hear({ service, method }, invoke);
  }

  private settle(id: number, how: (calling: Calling) => void): void {
    const calling = this.calls.get(id);
    this.calls.delete(id);
    if (calling !== undefined) how(calling);
  }

  private async carryOut(id: number, invoke: () => unknown): Promise<void> {
    try {
      const result = await invoke();
      this.post(kinds.answer, [id, 0, 0, 0], undefined, result);
    } catch (error) {
      this.post(kinds.failure, [id, 0, 0, 0], undefined, packError(error));
    }
  }

  private hear(what: object, invoke: () => unknown): void {
    const failed = (error: unknown): void =>
      this.logger.error('What another thread has told failed', { ...what, error });
    try {
      const outcome = invoke();
      if (outcome instanceof Promise) outcome.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  private invoke(service: string, method: string, given: Given): unknown {
    const served = this.services.get(service);
    if (served === undefined || !Object.hasOwn(served, method))
      throw new TypeError(`There is no ${method} of ${service} in this thread`);
    return (served[method] as (...given: Given) => unknown)(...given);
  }
}

const isCall = (kind: number): boolean =>
  kind === kinds.call || (kind >= kinds.laneCall && kind < kinds.laneTell);

/** Rejects with `EngineUnavailable` where the other thread has ended. */
export const ofPort = async <T>(use: EngineUse, calling: Promise<T>): Promise<T> => {
  try {
    return await calling;
  } catch (error) {
    throw error instanceof LinkClosed ? new EngineUnavailable(use, { cause: error }) : error;
  }
};
