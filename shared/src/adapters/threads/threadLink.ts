import { EngineUnavailable, type EngineUse } from '../../ports/errors.js';
import type { Logger } from '../../ports/logger.js';
import { packError, unpackError, type ThrownError } from './thrownErrors.js';

/** One end of the way between two threads: a `MessagePort`, or a `Worker` as its owner has it. */
export interface ThreadPort {
  postMessage(message: unknown, transferred?: readonly ArrayBuffer[]): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

/** What the other thread may call. Results and arguments are cloned; `bytes` come as a last argument. */
export type Served = Readonly<Record<string, (...given: never[]) => unknown>>;

/** The other thread has ended, or the link to it: whether a call was carried out is not known. */
export class LinkClosed extends Error {
  override readonly name = 'LinkClosed';

  constructor() {
    super('The other thread has ended');
  }
}

type Given = readonly unknown[];

/** `size`: of its bytes among those of the packet; undefined where it has none. */
type Posted =
  | readonly [kind: 'call', id: number, service: string, method: string, given: Given, size?: number | undefined]
  | readonly [kind: 'tell', service: string, method: string, given: Given, size?: number | undefined]
  | readonly [kind: 'answer', id: number, result: unknown]
  | readonly [kind: 'failure', id: number, error: ThrownError];

/** Whatever was posted within a turn. A buffer for each of them would cost more than what is in it. */
interface Packet {
  readonly posted: readonly Posted[];
  /** Of all of them, one behind the other. */
  readonly bytes: Uint8Array | undefined;
}

interface Calling {
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Calls between two threads. Everything arrives in the order in which it was posted, calls, answers and what is merely told. What is posted within one
 * turn of the event loop travels as one message, because each message costs more than what is in it.
 */
export class ThreadLink {
  private readonly port: ThreadPort;
  private readonly logger: Logger;
  private readonly services = new Map<string, Served>();
  private readonly calls = new Map<number, Calling>();
  private posted: Posted[] = [];
  /** Those of `posted`, in the same order. */
  private bytes: Uint8Array[] = [];
  private lastId = 0;
  private isClosed = false;

  constructor(port: ThreadPort, logger: Logger) {
    this.port = port;
    this.logger = logger;
    port.on('message', (packet) => this.unpack(packet as Packet));
  }

  get isOpen(): boolean {
    return !this.isClosed;
  }

  serve(service: string, served: Served): void {
    this.services.set(service, served);
  }

  /** Rejects with what the other thread has thrown, or with `LinkClosed`. */
  call<T>(service: string, method: string, ...given: Given): Promise<T> {
    return this.callWith(undefined, service, method, ...given);
  }

  /** As `call`, with bytes, which are copied. */
  callWith<T>(bytes: Uint8Array | undefined, service: string, method: string, ...given: Given): Promise<T> {
    if (this.isClosed) return Promise.reject(new LinkClosed());
    const id = (this.lastId += 1);
    return new Promise<T>((resolve, reject) => {
      this.calls.set(id, { resolve, reject });
      this.post(['call', id, service, method, given, bytes?.byteLength], bytes);
    });
  }

  /** As `call`, of a port that the other thread has: where the thread has ended, its engine is out of reach. */
  callPort<T>(use: EngineUse, service: string, method: string, ...given: Given): Promise<T> {
    return this.callPortWith(undefined, use, service, method, ...given);
  }

  async callPortWith<T>(
    bytes: Uint8Array | undefined,
    use: EngineUse,
    service: string,
    method: string,
    ...given: Given
  ): Promise<T> {
    try {
      return await this.callWith<T>(bytes, service, method, ...given);
    } catch (error) {
      throw error instanceof LinkClosed ? new EngineUnavailable(use, { cause: error }) : error;
    }
  }

  /** Nobody waits for it. */
  tell(service: string, method: string, ...given: Given): void {
    this.post(['tell', service, method, given]);
  }

  /** As `tell`, with bytes, which are copied. */
  tellWith(bytes: Uint8Array, service: string, method: string, ...given: Given): void {
    this.post(['tell', service, method, given, bytes.byteLength], bytes);
  }

  /** Nothing is posted or taken any more; what is open is rejected. */
  close(): void {
    this.isClosed = true;
    this.posted = [];
    this.bytes = [];
    for (const { reject } of this.calls.values()) reject(new LinkClosed());
    this.calls.clear();
  }

  private post(one: Posted, bytes?: Uint8Array): void {
    if (this.isClosed) return;
    this.posted.push(one);
    if (bytes !== undefined) this.bytes.push(bytes);
    if (this.posted.length === 1) setImmediate(() => this.flush());
  }

  private flush(): void {
    const { posted, bytes } = this;
    if (posted.length === 0) return;
    this.posted = [];
    this.bytes = [];
    try {
      this.send({ posted, bytes: joined(bytes) });
    } catch (error) {
      this.postSingly(posted, bytes, error);
    }
  }

  private send(packet: Packet): void {
    this.port.postMessage(packet, packet.bytes && [packet.bytes.buffer as ArrayBuffer]);
  }

  /** One of them cannot be cloned: the others are not to suffer for it. */
  private postSingly(posted: readonly Posted[], bytes: Uint8Array[], error: unknown): void {
    if (posted.length > 1) {
      for (const one of posted) {
        this.posted = [one];
        this.bytes = sizeOf(one) === undefined ? [] : bytes.splice(0, 1);
        this.flush();
      }
      return;
    }
    const [one] = posted;
    if (one?.[0] === 'answer')
      this.send({ posted: [['failure', one[1], packError(error)]], bytes: undefined });
    else if (one?.[0] === 'call') this.settle(one[1], ({ reject }) => reject(error));
    else this.logger.error('Something could not be told to another thread', { error });
  }

  private unpack({ posted, bytes }: Packet): void {
    let at = 0;
    for (const one of posted) {
      const size = sizeOf(one);
      this.take(one, size === undefined ? undefined : bytes?.subarray(at, at + size));
      at += size ?? 0;
    }
  }

  private take(one: Posted, bytes: Uint8Array | undefined): void {
    if (this.isClosed) return;
    if (one[0] === 'answer') this.settle(one[1], ({ resolve }) => resolve(one[2] as never));
    else if (one[0] === 'failure') this.settle(one[1], ({ reject }) => reject(unpackError(one[2])));
    else if (one[0] === 'call') void this.carryOut(one[1], one[2], one[3], withBytes(one[4], bytes));
    else this.hear(one[1], one[2], withBytes(one[3], bytes));
  }

  private settle(id: number, how: (calling: Calling) => void): void {
    const calling = this.calls.get(id);
    this.calls.delete(id);
    if (calling !== undefined) how(calling);
  }

  private async carryOut(id: number, service: string, method: string, given: Given): Promise<void> {
    try {
      const result = await this.invoke(service, method, given);
      this.post(['answer', id, result]);
    } catch (error) {
      this.post(['failure', id, packError(error)]);
    }
  }

  private hear(service: string, method: string, given: Given): void {
    const failed = (error: unknown): void =>
      this.logger.error('What another thread has told failed', { service, method, error });
    try {
      const outcome = this.invoke(service, method, given);
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

const sizeOf = (one: Posted): number | undefined => {
  if (one[0] === 'call') return one[5];
  return one[0] === 'tell' ? one[4] : undefined;
};

const withBytes = (given: Given, bytes: Uint8Array | undefined): Given =>
  bytes === undefined ? given : [...given, bytes];

/** In a buffer of its own, which is transferred. */
const joined = (parts: readonly Uint8Array[]): Uint8Array | undefined => {
  if (parts.length === 0) return undefined;
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
};
