import { ConnectionError, type RoomwireError } from '../errors.js';
import type { Settings } from '../options.js';
import { deferred, nothing } from '../primitives.js';
import type { ClientFrame } from '../protocol/clientFrames.js';
import type { ServerFrame } from '../protocol/frames.js';
import { Link, type Session } from './link.js';
import { retryDecision } from './reconnect.js';
import { flawError, type Tokens } from './tokens.js';
import { Waits } from './waits.js';
import { onWake } from './wake.js';

/**
 * The state of the client.
 *
 * - `connecting`: a token is being fetched, the socket opened, or the token checked.
 * - `connected`: authenticated; the subscriptions are being restored.
 * - `waiting`: `reason` ended the last attempt or connection; the next attempt begins in `retryInMs` milliseconds.
 * - `closed`: permanently, by `close()` (`reason.error` is `client_closed`) or because `reason` allows no further attempt.
 *
 * `failures` counts attempts that failed and connections that were lost since the client was last connected.
 */
export type ConnectionState =
  | { readonly name: 'connecting'; readonly failures: number }
  | { readonly name: 'connected'; readonly session: Session }
  | {
      readonly name: 'waiting';
      readonly failures: number;
      readonly retryInMs: number;
      readonly reason: RoomwireError;
    }
  | { readonly name: 'closed'; readonly reason: RoomwireError };

export interface ConnectionEvents {
  /** Every change, in order. The first state, `connecting`, is not reported. */
  onState(state: ConnectionState): void;
  onFrame(frame: ServerFrame): void;
  onError(error: RoomwireError): void;
  /** While connected: time may have passed unnoticed. */
  onWake(): void;
}

/** Keeps a link up: one attempt after another, until it is closed or ends for a reason that allows no further attempt. */
export class Connection {
  private readonly settings: Settings;
  private readonly tokens: Tokens;
  private readonly waits: Waits | undefined;
  private readonly events: ConnectionEvents;
  private current: ConnectionState = { name: 'connecting', failures: 0 };
  private link: Link | undefined;
  private cancelWait = nothing;
  private stopListening = nothing;
  private failures = 0;
  private readonly gone = deferred<void>();

  constructor(settings: Settings, tokens: Tokens, events: ConnectionEvents) {
    const { reconnect, random, now } = settings;
    this.settings = settings;
    this.tokens = tokens;
    this.waits = reconnect === false ? undefined : new Waits(reconnect, random, now);
    this.events = events;
  }

  get state(): ConnectionState {
    return this.current;
  }

  get online(): boolean {
    return this.current.name === 'connected';
  }

  start(): void {
    this.stopListening = onWake(() => this.woken());
    void this.attempt();
  }

  /** Throws `not_connected`, or what `encodeFrame` throws. */
  send(frame: ClientFrame): void {
    this.linkInUse().send(frame);
  }

  /** Throws `not_connected`. */
  sendEncoded(frame: Uint8Array<ArrayBuffer>): void {
    this.linkInUse().sendEncoded(frame);
  }

  /** Permanently. Every call returns the same promise, which resolves when the socket is closed. */
  close(): Promise<void> {
    this.stop(new ConnectionError('client_closed'));
    return this.gone.promise;
  }

  private linkInUse(): Link {
    if (!this.online || this.link === undefined) throw new ConnectionError('not_connected');
    return this.link;
  }

  private woken(): void {
    if (this.current.name === 'waiting') {
      this.cancelWait();
      this.tryAgain();
    } else if (this.online) {
      this.link?.probe();
      this.events.onWake();
    }
  }

  private async attempt(): Promise<void> {
    try {
      const token = await this.tokens.obtain();
      if (!this.isClosed()) this.connectWith(token);
    } catch (error) {
      if (!this.isClosed()) this.failed(error as RoomwireError);
    }
  }

  private connectWith(token: string): void {
    // A token function that returns the refused token again has no other one: retrying would never end.
    const refusal = this.tokens.refusalOf(token);
    if (refusal !== undefined) return this.stop(refusal);
    this.tokens.use(token);
    const flaw = flawError(token);
    if (flaw !== undefined) return this.failed(flaw);
    try {
      this.link = this.open(token);
    } catch (cause) {
      this.failed(new ConnectionError('unreachable', { cause }));
    }
  }

  private open(token: string): Link {
    return new Link(this.settings, token, {
      onSession: (session) => this.authenticated(session),
      onFrame: (frame) => this.events.onFrame(frame),
      onUndecodable: (error) => this.events.onError(error),
      onEnd: (reason) => this.failed(reason),
    });
  }

  private authenticated(session: Session): void {
    this.failures = 0;
    this.waits?.connected();
    this.tokens.accepted();
    this.become({ name: 'connected', session });
  }

  private failed(error: RoomwireError): void {
    const decision = retryDecision(error);
    this.link = undefined;
    if (this.waits === undefined || decision === 'stop') return this.stop(error);
    if (decision.tokenRefused && !this.tokens.areRenewable) return this.stop(error);
    if (decision.tokenRefused) this.tokens.refused(this.tokens.inUse, error);
    this.failures += 1;
    this.wait(error, this.waits.next(decision));
  }

  private wait(reason: RoomwireError, retryInMs: number): void {
    this.cancelWait = this.settings.schedule(() => this.tryAgain(), retryInMs);
    this.become({ name: 'waiting', failures: this.failures, retryInMs, reason });
  }

  private tryAgain(): void {
    this.become({ name: 'connecting', failures: this.failures });
    // A listener may have closed the client.
    if (!this.isClosed()) void this.attempt();
  }

  private stop(reason: RoomwireError): void {
    if (this.isClosed()) return;
    const link = this.link;
    this.link = undefined;
    this.cancelWait();
    this.tokens.stopWaiting();
    this.stopListening();
    this.become({ name: 'closed', reason });
    void (link?.close() ?? Promise.resolve()).then(this.gone.resolve);
  }

  private become(state: ConnectionState): void {
    this.current = state;
    this.events.onState(state);
  }

  /** A method, because the compiler takes a state it has seen for unchanged across an await. */
  private isClosed(): boolean {
    return this.current.name === 'closed';
  }
}
