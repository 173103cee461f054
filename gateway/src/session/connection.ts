import type { Buffer } from 'node:buffer';
import type { AuthError } from '@roomwire/shared/wire/protocol/authErrors';
import type { AuthFrame, ClientFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import { closes, type CloseSpec } from '@roomwire/shared/wire/protocol/closes';
import { parseFrame, type MalformedFrame } from '@roomwire/shared/wire/protocol/parseFrame';
import {
  renderProtocolError,
  type ProtocolErrorContext,
  type ProtocolErrorName,
} from '@roomwire/shared/wire/protocol/protocolErrors';
import {
  encodeServerFrame,
  heartbeatFrame,
  type AuthReply,
  type RestoredSubscription,
  type ServerFrame,
} from '@roomwire/shared/wire/protocol/serverFrames';
import type { GatewayCore } from '../core.js';
import { dispatch } from '../handlers/index.js';
import type { Outcome } from '../handlers/handler.js';
import { countClose, countDeparture, countProtocolError } from '../metrics.js';
import { SlidingWindow } from '../policy/rateLimits.js';
import type { FrameReceiver, FrameSocket } from '../socket/wsListener.js';
import { Outbox } from '../socket/outbox.js';
import { letIn, ready, turnAway, type Readied } from '../resume/restore.js';
import { authenticate, type Admission } from './authenticate.js';
import type { Identity } from './identity.js';
import { endLapsed } from './endLapsed.js';
import { Inbox, type InboxTask } from './inbox.js';
import { Session, type SessionLink } from './session.js';

const maxFailedAuths = 10;
const maxMalformed = 20;
const malformedWindowMs = 10_000;

/** One WebSocket: unauthenticated, then with a session, then closed. */
export class Connection implements FrameReceiver, SessionLink {
  readonly outbox: Outbox;
  /** The sweep in which the last frame came. */
  lastSign = 0;
  private readonly socket: FrameSocket;
  private readonly core: GatewayCore;
  private readonly inbox: Inbox;
  private readonly malformed = new SlidingWindow(maxMalformed, malformedWindowMs);
  private current: Session | undefined;
  private failedAuths = 0;
  private isClosed = false;

  constructor(socket: FrameSocket, core: GatewayCore) {
    this.socket = socket;
    this.core = core;
    this.outbox = new Outbox(socket, core.tick, core.options.outboxBytes, () => this.tooSlow());
    this.inbox = new Inbox(socket, (bytes, isText) => this.handle(bytes, isText));
    this.onSignOfLife();
    core.metrics.connectionsOpened++;
    core.roster.opened(this);
  }

  get session(): Session | undefined {
    return this.current;
  }

  /** A frame is being handled, and those behind it wait unread: the silence is ours. */
  get isBehind(): boolean {
    return this.inbox.isBehind;
  }

  onFrame(bytes: Buffer, isText: boolean): void {
    if (this.isClosed) return;
    this.onSignOfLife();
    this.inbox.accept(bytes, isText);
  }

  onSignOfLife(): void {
    this.lastSign = this.core.sweeper.sweep;
  }

  onClosing(): void {
    this.outbox.close();
  }

  onClosed(code: number): void {
    if (!this.isClosed) countDeparture(this.core.metrics, code);
    this.end();
    this.core.roster.closed(this);
    this.core.metrics.connectionsClosed++;
  }

  send(frame: ServerFrame): void {
    this.outbox.push(encodeServerFrame(frame));
  }

  /** Before authentication nobody has asked for version 2. */
  sendError(name: ProtocolErrorName, context: ProtocolErrorContext): undefined {
    countProtocolError(this.core.metrics, name);
    this.send(renderProtocolError(name, this.current?.identity.version ?? 1, context));
  }

  /** What was queued before still goes out. */
  close(why: CloseSpec): void {
    if (this.isClosed) return;
    this.end();
    countClose(this.core.metrics, why);
    this.socket.close(why);
  }

  inTurn(task: InboxTask): void {
    if (!this.isClosed) this.inbox.perform(task);
  }

  private end(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.outbox.close();
    this.inbox.clear();
    if (this.current === undefined) return;
    this.current.isOver = true;
    this.core.roster.leave(this.current);
    this.core.sessionRecords.ended(this.current);
    for (const subscription of this.current.subscriptions.values()) this.core.hub.leave(subscription);
    this.current.subscriptions.clear();
    this.core.presence.leave(this.current);
  }

  private tooSlow(): void {
    this.core.metrics.slowConsumers++;
    this.close(closes.slowConsumer);
  }

  private handle(bytes: Buffer, isText: boolean): Promise<void> | undefined {
    if (this.isClosed) return undefined;
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
    endLapsed(this.current, this.core);
    this.outbox.push(heartbeatFrame);
  }

  /** [WS-ENC-7] Before authentication everything is refused alike. */
  private tolerate(frame: MalformedFrame): undefined {
    if (this.current === undefined) return this.sendError('notAuthenticated', {});
    const now = this.core.clock.monotonic();
    this.malformed.add(now);
    this.sendError(frame.error, frame);
    if (this.malformed.isFull(now)) this.close(closes.tooManyMalformedFrames);
  }

  private outcomeOf(frame: ClientFrame): Outcome {
    if (this.current !== undefined) return dispatch(this.current, frame, this.core);
    return frame.type === 'auth' ? this.authenticate(frame) : 'notAuthenticated';
  }

  /** Nothing of what a stranger sent goes back to it. */
  private answer(frame: ClientFrame, error: ProtocolErrorName | void): undefined {
    if (error !== undefined) this.sendError(error, this.current ? (frame as ProtocolErrorContext) : {});
  }

  /** Every frame has its answer, also when what it needed is out of reach. */
  private failed(frame: ClientFrame, error: unknown): undefined {
    this.core.logger.warn('A frame could not be handled', { type: frame.type, error });
    this.answer(frame, 'brokerUnavailable');
  }

  private async authenticate(frame: AuthFrame): Promise<void> {
    const { revalidator } = this.core;
    const changesBefore = revalidator.changes;
    const result = await authenticate(this.core, frame);
    if (this.isClosed) return;
    if (typeof result === 'string') return this.denied(result);
    const { publishRate, requestRate } = this.core.options;
    const session = new Session(this, result, { publishRate, requestRate, clock: this.core.clock });
    const readied = await this.readied(session, frame);
    if (readied === undefined) return;
    if (this.isOneTooMany(result, changesBefore)) return this.turnedAway(readied);
    this.admitted(session, result, readied);
    this.core.sessionRecords.keep(session, frame);
    // What changed while we were reading found nobody to close.
    if (revalidator.changes !== changesBefore) revalidator.recheckActor(session.identity.actorTokenId);
  }

  /** Undefined when there is nobody to admit any more. */
  private async readied(session: Session, frame: AuthFrame): Promise<readonly Readied[] | undefined> {
    const { core } = this;
    try {
      const readied = await ready(session, frame, core);
      if (!this.isClosed) return readied;
      turnAway(readied, core);
    } catch (error) {
      core.logger.warn('A session could not be restored', { error });
      if (!this.isClosed) this.denied(core.bus.reachable ? 'connection_failed' : 'broker_unavailable');
    }
    return undefined;
  }

  private turnedAway(readied: readonly Readied[]): void {
    turnAway(readied, this.core);
    this.denied('connection_limit_reached');
  }

  /** [WS-AUTH-12] An older plan than the events have told of is good for an organization that is not known yet. */
  private isOneTooMany({ credentials }: Admission, changesBefore: number): boolean {
    const { plans, connectionLimit, revalidator } = this.core;
    const { organizationId, plan } = credentials;
    const isLatest = revalidator.changes === changesBefore;
    if (isLatest || plans.of(organizationId) === undefined) plans.read(organizationId, plan);
    return connectionLimit.isFull(organizationId);
  }

  private denied(error: AuthError): void {
    this.core.metrics.failedAuths++;
    this.send({ type: 'auth', success: false, error });
    if (++this.failedAuths >= maxFailedAuths) this.close(closes.tooManyFailedAuths);
  }

  private admitted(session: Session, { credentials }: Admission, readied: readonly Readied[]): void {
    const { metrics, roster, lastUses, retained, hydrations, hub } = this.core;
    const { identity } = session;
    metrics.authenticated++;
    lastUses.used(identity.actorTokenId);
    if (credentials.clientToken !== null) lastUses.used(credentials.clientToken.signingKeyId);
    this.current = session;
    roster.enter(session);
    this.send(authSucceeded(identity, letIn(session, readied, this.core)));
    for (const { subscription } of readied) {
      hub.release(subscription);
      retained.greet(subscription);
      hydrations.ask(subscription);
    }
  }
}

/** [WS-AUTH-2] */
const authSucceeded = (
  { actorTokenId, projectId, actorType, version }: Identity,
  restoredSubscriptions: readonly RestoredSubscription[],
): AuthReply => ({
  type: 'auth',
  success: true,
  actorTokenId,
  projectId,
  actorType,
  protocolVersion: version,
  restoredSubscriptions,
});
