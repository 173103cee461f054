import type { Buffer } from 'node:buffer';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Logger } from '@roomwire/shared/ports/logger';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import type { ClientFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import { closes, type CloseSpec } from '@roomwire/shared/wire/protocol/protocolErrors';
import { parseFrame, type MalformedFrame } from '@roomwire/shared/wire/protocol/parseFrame';
import {
  renderProtocolError,
  type ProtocolErrorContext,
  type ProtocolErrorName,
} from '@roomwire/shared/wire/protocol/protocolErrors';
import { encodeServerFrame, heartbeatFrame } from '@roomwire/shared/wire/protocol/encodeFrames';
import type { ServerFrame } from '@roomwire/shared/wire/protocol/serverFrames';
import { countClose, countDeparture, countProtocolError } from '../metrics.js';
import { SlidingWindow } from '../policy/rateLimits.js';
import type { ConnectionEnding } from '../connection-facts/connectionLife.js';
import type { HandleFrame } from '../session/frameHandlers.js';
import type { Session } from '../session/session.js';
import type { PendingSession } from '../session/sessions.js';
import { Inbox, type InboxTask } from './inbox.js';
import { lastAnswers } from './lastAnswers.js';
import { Outbox } from './outbox.js';
import type { OutboxMemory } from './outboxMemory.js';
import { Stranger, type StrangerDeps, type StrangerLink } from './stranger.js';
import type { Sweeper } from './sweeper.js';
import type { Tick } from './tick.js';
import type { Turns } from './turns.js';
import type { UnauthenticatedSockets } from './unauthenticatedSockets.js';
import type { WaitingBytes } from './waitingBytes.js';
import { messageTooBig, type FrameReceiver, type FrameSocket } from './wsListener.js';

export interface ConnectionDeps extends StrangerDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tick: Tick;
  readonly turns: Turns;
  /** Bytes of frames behind one that is being handled. */
  readonly waitingBytes: WaitingBytes;
  readonly sweeper: Pick<Sweeper, 'sweep' | 'isOver'>;
  readonly timeouts: {
    /** Without a sign of life. */
    readonly idleMs: number;
    /** From the handshake to a successful `auth`. */
    readonly authenticationMs: number;
    /** From the first fragment of a message to its last. */
    readonly messageMs: number;
  };
  readonly unauthenticated: Pick<UnauthenticatedSockets, 'enter'>;
  readonly handleFrame: HandleFrame;
  /** Bytes that may wait for a slow reader. */
  readonly outboxBytes: number;
  readonly outboxMemory: Pick<OutboxMemory, 'reader'>;
  readonly onClosed: (connection: Connection) => void;
}

const maxMalformed = limitTable.malformedFrames.value;
const malformedWindowMs = 10_000;

/** One WebSocket: unauthenticated, then with a session, then closed. */
export class Connection implements FrameReceiver, StrangerLink {
  readonly outbox: Outbox;
  /** Of the client, as the trusted proxies name it. */
  readonly address: string;
  /** Unix milliseconds. */
  readonly connectedAt: number;
  private readonly socket: FrameSocket;
  private readonly deps: ConnectionDeps;
  /** Ends its count among the unauthenticated ones. */
  private readonly noLongerUnauthenticated: () => void;
  private readonly inbox: Inbox;
  private readonly malformed = new SlidingWindow(maxMalformed, malformedWindowMs);
  private current: Session | undefined;
  /** Undefined once it is authenticated. */
  private stranger: Stranger | undefined;
  private hasClosed = false;
  /** The sweep before which it was opened. */
  private readonly openedAt: number;
  /** The sweep before which the last frame came. */
  private lastSign: number;
  /** The sweep that first found it amid the fragments of a message that is still incomplete. */
  private amidFragmentsSince: number | undefined;

  constructor(socket: FrameSocket, address: string, deps: ConnectionDeps) {
    this.socket = socket;
    this.address = address;
    this.connectedAt = deps.clock.now();
    this.noLongerUnauthenticated = deps.unauthenticated.enter(address);
    this.deps = deps;
    this.outbox = new Outbox(
      socket,
      deps.tick,
      deps.outboxBytes,
      () => this.tooSlow(),
      deps.outboxMemory,
      () => deps.clock.now(),
    );
    this.inbox = new Inbox({
      source: socket,
      turns: deps.turns,
      waitingBytes: deps.waitingBytes,
      handle: (bytes, isText) => this.handle(bytes, isText),
      onDrained: () => this.stranger?.onDrained(),
    });
    this.stranger = new Stranger(socket, this, deps);
    this.openedAt = deps.sweeper.sweep;
    this.lastSign = this.openedAt;
    deps.metrics.connectionsOpened++;
  }

  get isClosed(): boolean {
    return this.hasClosed;
  }

  get session(): Session | undefined {
    return this.current;
  }

  onFrame(bytes: Buffer, isText: boolean): void {
    if (this.hasClosed) return;
    this.onSignOfLife();
    this.amidFragmentsSince = undefined;
    this.inbox.accept(bytes, isText);
  }

  onSignOfLife(): void {
    this.lastSign = this.deps.sweeper.sweep;
  }

  swept(): void {
    const { sweeper, timeouts } = this.deps;
    // [WS-CONN-12]
    if (this.stranger !== undefined && sweeper.isOver(timeouts.authenticationMs, this.openedAt))
      return this.close(closes.idleTimeout);
    // The peer only seems silent. While it is read it has to show that it lives, also when one of its frames waits for it.
    if (!this.inbox.isReading) return this.excuse();
    if (sweeper.isOver(timeouts.idleMs, this.lastSign)) return this.close(closes.idleTimeout);
    // [WS-CONN-13]
    if (!this.socket.isAmidFragments) this.amidFragmentsSince = undefined;
    else this.amidFragmentsSince ??= sweeper.sweep;
    if (this.amidFragmentsSince === undefined) return;
    if (sweeper.isOver(timeouts.messageMs, this.amidFragmentsSince)) this.close(closes.messageTimeout);
  }

  onClosing(): void {
    this.closeOutbox();
  }

  onClosed(code: number): void {
    if (!this.hasClosed) countDeparture(this.deps.metrics, code);
    this.end({ code, reason: '', by: 'client' });
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
    this.end({ ...why, by: 'gateway' });
    countClose(this.deps.metrics, why);
    this.socket.close(why);
  }

  inTurn(task: InboxTask): void {
    if (!this.hasClosed) this.inbox.perform(task);
  }

  /** As the WebSocket layer does for a frame that is too large; counts as a departure of the peer. */
  tooLarge(): void {
    if (this.hasClosed) return;
    this.end({ ...messageTooBig, by: 'gateway' });
    countDeparture(this.deps.metrics, messageTooBig.code);
    this.socket.close(messageTooBig);
  }

  pauseReading(): void {
    this.inbox.pause();
  }

  admit(admission: PendingSession): void {
    this.stranger = undefined;
    this.noLongerUnauthenticated();
    this.current = admission.session;
    this.outbox.projectId = admission.session.identity.projectId;
    admission.begin();
  }

  private end(ending: ConnectionEnding): void {
    if (this.hasClosed) return;
    this.hasClosed = true;
    this.closeOutbox();
    const waiting = this.inbox.clear();
    if (this.current === undefined) return;
    for (const frame of lastAnswers(waiting)) void this.deps.handleFrame(this.current, frame);
    this.deps.sessions.end(this.current, ending);
  }

  private closeOutbox(): void {
    this.current?.subscriptions.catchUp();
    this.outbox.close();
  }

  private tooSlow(): void {
    this.deps.metrics.slowConsumers++;
    this.current?.life.slow(this.outbox.behindSince ?? this.connectedAt, this.outbox.lostBytes);
    this.close(closes.slowConsumer);
  }

  private excuse(): void {
    this.onSignOfLife();
    this.amidFragmentsSince = undefined;
  }

  private handle(bytes: Buffer, isText: boolean): Promise<void> | undefined {
    if (this.hasClosed) return undefined;
    const { current } = this;
    if (current === undefined) return this.greet(bytes, isText);
    if (bytes.length === 0 && !isText) return this.heartbeat(current);
    const frame = parseFrame(bytes, isText);
    if (frame.type === 'malformed') return this.tolerate(frame);
    try {
      const outcome = this.deps.handleFrame(current, frame);
      if (!(outcome instanceof Promise)) return this.answer(frame, outcome);
      return outcome.then(
        (error) => this.answer(frame, error),
        (error: unknown) => this.failed(frame, error),
      );
    } catch (error) {
      return this.failed(frame, error);
    }
  }

  private greet(bytes: Buffer, isText: boolean): Promise<void> | undefined {
    const done = this.stranger?.handle(bytes, isText);
    return done?.catch((error: unknown) => this.failed({ type: 'auth' }, error));
  }

  private heartbeat(session: Session): undefined {
    session.endExpired();
    this.outbox.push(heartbeatFrame);
  }

  /** [WS-ENC-7] */
  private tolerate(frame: MalformedFrame): undefined {
    const now = this.deps.clock.monotonic();
    this.malformed.add(now);
    this.sendError(frame.error, frame);
    if (this.malformed.isFull(now)) this.close(closes.tooManyMalformedFrames);
  }

  private answer(frame: Pick<ClientFrame, 'type'>, error: ProtocolErrorName | void): undefined {
    if (error !== undefined) this.sendError(error, frame as ProtocolErrorContext);
  }

  /** Every frame is answered, also when an engine is unavailable. */
  private failed(frame: Pick<ClientFrame, 'type'>, error: unknown): undefined {
    this.deps.logger.warn('A frame could not be handled', { type: frame.type, error });
    this.answer(frame, 'brokerUnavailable');
  }
}
