import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import type { Buffer } from 'node:buffer';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { AuthError } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { AuthFrame, ClientFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import { closes, type CloseSpec } from '@roomwire/shared/wire/protocol/protocolErrors';
import { parseFrame, type MalformedFrame } from '@roomwire/shared/wire/protocol/parseFrame';
import {
  renderProtocolError,
  type ProtocolErrorContext,
  type ProtocolErrorName,
} from '@roomwire/shared/wire/protocol/protocolErrors';
import { encodeServerFrame, heartbeatFrame } from '@roomwire/shared/wire/protocol/encodeFrames';
import type { ServerFrame } from '@roomwire/shared/wire/protocol/serverFrames';
import { countClose, countDeparture, countProtocolError, type GatewayMetrics } from '../metrics.js';
import { SlidingWindow } from '../policy/rateLimits.js';
import type { HandleFrame, Outcome } from '../session/frameHandlers.js';
import type { Session } from '../session/session.js';
import type { AuthenticatingLink, Sessions } from '../session/sessions.js';
import type { IdleSweeper, Sweepable } from './openConnections.js';
import { Inbox, type InboxTask } from './inbox.js';
import { Outbox, type Tick } from './outbox.js';
import type { OutboxMemory } from './outboxMemory.js';
import type { UnauthenticatedSockets } from './unauthenticatedSockets.js';
import type { FrameReceiver, FrameSocket } from './wsListener.js';

export interface ConnectionDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: GatewayMetrics;
  readonly tick: Tick;
  readonly sweeper: Pick<IdleSweeper<Sweepable>, 'sweep'>;
  readonly unauthenticated: Pick<UnauthenticatedSockets, 'enter'>;
  readonly sessions: Sessions;
  readonly handleFrame: HandleFrame;
  /** Bytes that may wait for a slow reader. */
  readonly outboxBytes: number;
  readonly outboxMemory: Pick<OutboxMemory, 'waits' | 'ended'>;
  readonly onClosed: (connection: Connection) => void;
}

const maxFailedAuths = limitTable.failedAuths.value;
const maxMalformed = limitTable.malformedFrames.value;
const malformedWindowMs = 10_000;

/** One WebSocket: unauthenticated, then with a session, then closed. */
export class Connection implements FrameReceiver, AuthenticatingLink {
  readonly outbox: Outbox;
  /** Of the client, as the trusted proxies name it. */
  readonly address: string;
  /** The sweep before which the last frame came. */
  lastSign = 0;
  private readonly socket: FrameSocket;
  private readonly deps: ConnectionDeps;
  /** Ends its count among the unauthenticated ones. */
  private readonly noLongerUnauthenticated: () => void;
  private readonly inbox: Inbox;
  private readonly malformed = new SlidingWindow(maxMalformed, malformedWindowMs);
  private current: Session | undefined;
  private failedAuths = 0;
  private hasClosed = false;

  constructor(socket: FrameSocket, address: string, deps: ConnectionDeps) {
    this.socket = socket;
    this.address = address;
    this.noLongerUnauthenticated = deps.unauthenticated.enter(address);
    this.deps = deps;
    this.outbox = new Outbox(socket, deps.tick, deps.outboxBytes, () => this.tooSlow(), deps.outboxMemory);
    this.inbox = new Inbox(socket, (bytes, isText) => this.handle(bytes, isText));
    this.onSignOfLife();
    deps.metrics.connectionsOpened++;
  }

  get isClosed(): boolean {
    return this.hasClosed;
  }

  get session(): Session | undefined {
    return this.current;
  }

  /** Whether frames wait unread behind one that is being handled, so that the peer only seems silent. */
  get isBehind(): boolean {
    return this.inbox.isBehind;
  }

  onFrame(bytes: Buffer, isText: boolean): void {
    if (this.hasClosed) return;
    this.onSignOfLife();
    this.inbox.accept(bytes, isText);
  }

  onSignOfLife(): void {
    this.lastSign = this.deps.sweeper.sweep;
  }

  onClosing(): void {
    this.outbox.close();
  }

  onClosed(code: number): void {
    if (!this.hasClosed) countDeparture(this.deps.metrics, code);
    this.end();
    this.noLongerUnauthenticated();
    this.deps.onClosed(this);
    this.deps.metrics.connectionsClosed++;
  }

  send(frame: ServerFrame): void {
    this.outbox.push(encodeServerFrame(frame));
  }

  /** Before authentication the version is 1. */
  sendError(name: ProtocolErrorName, context: ProtocolErrorContext): undefined {
    countProtocolError(this.deps.metrics, name);
    this.send(renderProtocolError(name, this.current?.identity.version ?? 1, context));
  }

  /** Frames that are queued are still sent. */
  close(why: CloseSpec): void {
    if (this.hasClosed) return;
    this.end();
    countClose(this.deps.metrics, why);
    this.socket.close(why);
  }

  inTurn(task: InboxTask): void {
    if (!this.hasClosed) this.inbox.perform(task);
  }

  private end(): void {
    if (this.hasClosed) return;
    this.hasClosed = true;
    this.outbox.close();
    this.inbox.clear();
    if (this.current !== undefined) this.deps.sessions.end(this.current);
  }

  private tooSlow(): void {
    this.deps.metrics.slowConsumers++;
    this.close(closes.slowConsumer);
  }

  private handle(bytes: Buffer, isText: boolean): Promise<void> | undefined {
    if (this.hasClosed) return undefined;
    if (bytes.length === 0 && !isText) return this.heartbeat();
    const frame = parseFrame(bytes, isText);
    if (frame.type === 'malformed') return this.tolerate(frame);
    try {
      const outcome = this.outcomeOf(frame);
      if (!(outcome instanceof Promise)) return this.answer(frame, outcome);
      return outcome.then(
        (error) => this.answer(frame, error),
        (error: unknown) => this.failed(frame, error),
      );
    } catch (error) {
      return this.failed(frame, error);
    }
  }

  private heartbeat(): undefined {
    if (this.current === undefined) return this.sendError('notAuthenticated', {});
    this.current.endExpired();
    this.outbox.push(heartbeatFrame);
  }

  /** [WS-ENC-7] Before authentication every frame gets the same refusal. */
  private tolerate(frame: MalformedFrame): undefined {
    if (this.current === undefined) return this.sendError('notAuthenticated', {});
    const now = this.deps.clock.monotonic();
    this.malformed.add(now);
    this.sendError(frame.error, frame);
    if (this.malformed.isFull(now)) this.close(closes.tooManyMalformedFrames);
  }

  private outcomeOf(frame: ClientFrame): Outcome {
    if (this.current !== undefined) return this.deps.handleFrame(this.current, frame);
    return frame.type === 'auth' ? this.authenticate(frame) : 'notAuthenticated';
  }

  /** Nothing of a frame is echoed before authentication. */
  private answer(frame: ClientFrame, error: ProtocolErrorName | void): undefined {
    if (error !== undefined) this.sendError(error, this.current ? (frame as ProtocolErrorContext) : {});
  }

  /** Every frame is answered, also when an engine is unavailable. */
  private failed(frame: ClientFrame, error: unknown): undefined {
    this.deps.logger.warn('A frame could not be handled', { type: frame.type, error });
    this.answer(frame, 'brokerUnavailable');
  }

  private async authenticate(frame: AuthFrame): Promise<void> {
    const admission = await this.deps.sessions.authenticate(this, frame);
    if (typeof admission === 'string') return this.hasClosed ? undefined : this.denied(admission);
    if (this.hasClosed) return admission.cancel();
    if (admission.isOneTooMany()) {
      admission.cancel();
      return this.denied('connection_limit_reached');
    }
    this.current = admission.session;
    this.outbox.projectId = admission.session.identity.projectId;
    this.noLongerUnauthenticated();
    admission.begin();
  }

  private denied(error: AuthError): void {
    this.deps.metrics.failedAuths++;
    this.send({ type: 'auth', success: false, error });
    if (++this.failedAuths >= maxFailedAuths) this.close(closes.tooManyFailedAuths);
  }
}
