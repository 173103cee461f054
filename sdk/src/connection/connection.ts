import { ConnectionError, RoomwireError } from '../errors.js';
import { isFilledText, type Settings } from '../options.js';
import { deferred, nothing } from '../primitives.js';
import type { ClientFrame, ServerFrame } from '../protocol/frames.js';
import { Link, type Session } from './link.js';
import { nextDelay, soonDelay, retryDecision, type Backoff, type RetryAfter } from './reconnect.js';

/**
 * The state of the client.
 *
 * - `connecting`: a token is being fetched, the socket opened, or the token checked.
 * - `connected`: authenticated; the subscriptions are being made again.
 * - `waiting`: `reason` ended the last attempt or connection; the next attempt begins in `retryInMs` milliseconds.
 * - `closed`: for good, by `close()` (`reason.error` is `client_closed`) or because `reason` allows no other attempt.
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
  /** Every change, in order. The first state, `connecting`, is no change. */
  onState(state: ConnectionState): void;
  onFrame(frame: ServerFrame): void;
  onError(error: RoomwireError): void;
}

/** Keeps a link up: one attempt after another, until it is closed or an end allows no other attempt. */
export class Connection {
  private readonly settings: Settings;
  private readonly events: ConnectionEvents;
  private current: ConnectionState = { name: 'connecting', failures: 0 };
  private link: Link | undefined;
  private cancelWait = nothing;
  private failures = 0;
  /** Token of the attempt or the connection at hand. */
  private token: string | undefined;
  private refused: { readonly token: string | undefined; readonly error: RoomwireError } | undefined;
  private readonly gone = deferred<void>();

  constructor(settings: Settings, events: ConnectionEvents) {
    this.settings = settings;
    this.events = events;
  }

  get state(): ConnectionState {
    return this.current;
  }

  get online(): boolean {
    return this.current.name === 'connected';
  }

  start(): void {
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

  /** For good. Every call gets the one promise, which resolves when the socket is gone. */
  close(): Promise<void> {
    this.stop(new ConnectionError('client_closed'));
    return this.gone.promise;
  }

  private linkInUse(): Link {
    if (!this.online || this.link === undefined) throw new ConnectionError('not_connected');
    return this.link;
  }

  private async attempt(): Promise<void> {
    const token = await this.obtainToken();
    if (this.isClosed()) return;
    if (token instanceof RoomwireError) return this.failed(token);
    // A token function that returns the refused token again has no other one: retrying would never end.
    if (this.refused?.token === token) return this.stop(this.refused.error);
    this.token = token;
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

  private async obtainToken(): Promise<string | RoomwireError> {
    const { token } = this.settings;
    try {
      const given = typeof token === 'function' ? await token({ refused: this.refused?.error }) : token;
      return isFilledText(given) ? given : new ConnectionError('token_unavailable');
    } catch (cause) {
      return new ConnectionError('token_unavailable', { cause });
    }
  }

  private authenticated(session: Session): void {
    this.failures = 0;
    this.refused = undefined;
    this.become({ name: 'connected', session });
  }

  private failed(error: RoomwireError): void {
    const { reconnect } = this.settings;
    const decision = retryDecision(error);
    this.link = undefined;
    if (reconnect === false || decision === 'stop') return this.stop(error);
    if (decision.tokenRefused && typeof this.settings.token === 'string') return this.stop(error);
    if (decision.tokenRefused) this.refused = { token: this.token, error };
    this.wait(error, this.delay(decision, reconnect));
  }

  private delay({ pace }: RetryAfter, reconnect: Backoff): number {
    const first = this.failures === 0;
    this.failures += 1;
    const { random } = this.settings;
    return pace === 'soon' && first
      ? soonDelay(reconnect, random)
      : nextDelay(this.failures, reconnect, random);
  }

  private wait(reason: RoomwireError, retryInMs: number): void {
    this.cancelWait = this.settings.schedule(() => {
      this.become({ name: 'connecting', failures: this.failures });
      // A listener may have closed the client.
      if (!this.isClosed()) this.start();
    }, retryInMs);
    this.become({ name: 'waiting', failures: this.failures, retryInMs, reason });
  }

  private stop(reason: RoomwireError): void {
    if (this.isClosed()) return;
    const link = this.link;
    this.link = undefined;
    this.cancelWait();
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
