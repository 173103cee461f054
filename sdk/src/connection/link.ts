import { openSocket } from '#socket';
import type { ClientFailure } from '../errorNames.js';
import { AuthenticationError, ConnectionError, type RoomwireError } from '../errors.js';
import type { HeartbeatTimes, Settings } from '../options.js';
import { nothing, type Schedule } from '../primitives.js';
import { decodeFrame, encodeFrame } from '../protocol/codec.js';
import type { ClientFrame } from '../protocol/clientFrames.js';
import type { AuthAccepted, ServerFrame } from '../protocol/frames.js';
import { protocolError } from '../protocol/protocolError.js';
import type { ClientSocket, SocketEnd } from '../socket/clientSocket.js';
import { clientName } from '../version.js';

export interface HeartbeatEvents {
  onBeat(): void;
  onDead(): void;
}

/** Sends heartbeats and notices when nothing comes back. Any frame is a sign of life. */
class Heartbeat {
  private readonly times: HeartbeatTimes;
  private readonly schedule: Schedule;
  private readonly events: HeartbeatEvents;
  private cancelBeat = nothing;
  private cancelDeath: (() => void) | undefined;

  constructor(times: HeartbeatTimes, schedule: Schedule, events: HeartbeatEvents) {
    this.times = times;
    this.schedule = schedule;
    this.events = events;
  }

  start(): void {
    this.cancelBeat = this.schedule(() => this.beat(), this.times.intervalMs);
  }

  /** Now, where the machine may have slept. */
  probe(): void {
    this.cancelBeat();
    this.beat();
  }

  frameReceived(): void {
    if (this.cancelDeath === undefined) return;
    this.lived();
    // In hidden tabs browsers delay timers that other timers have set, by up to a minute, and not those that a frame has.
    this.cancelBeat();
    this.start();
  }

  stop(): void {
    this.cancelBeat();
    this.lived();
  }

  private lived(): void {
    this.cancelDeath?.();
    this.cancelDeath = undefined;
  }

  private beat(): void {
    // Counted from the first unanswered heartbeat, also when the interval is the shorter of the two.
    this.cancelDeath ??= this.schedule(() => this.events.onDead(), this.times.timeoutMs);
    this.start();
    this.events.onBeat();
  }
}

/** The identity that the server has authenticated for this connection. `protocolVersion` is 2. */
export type Session = AuthAccepted;

export interface LinkEvents {
  /** The server has accepted the token; from now on frames may be sent. */
  onSession(session: Session): void;
  onFrame(frame: ServerFrame): void;
  /** A frame that cannot be read; the link goes on. */
  onUndecodable(error: RoomwireError): void;
  /** Once, the last event; not after `close`. */
  onEnd(reason: RoomwireError): void;
}

const emptyFrame = new Uint8Array(0);

/** One WebSocket from its opening to its end: authentication, then frames and heartbeats. */
export class Link {
  private readonly settings: Settings;
  private readonly token: string;
  private readonly events: LinkEvents;
  private readonly socket: ClientSocket;
  private readonly heartbeat: Heartbeat;
  private phase: 'opening' | 'authenticating' | 'live' | 'ended' = 'opening';
  private cancelDeadline = nothing;
  private onGone = nothing;

  /** Throws where the environment does not even try to connect. */
  constructor(settings: Settings, token: string, events: LinkEvents) {
    this.settings = settings;
    this.token = token;
    this.events = events;
    this.heartbeat = new Heartbeat(settings.heartbeat, settings.schedule, {
      onBeat: () => this.socket.send(emptyFrame),
      onDead: () => this.fail('heartbeat_timeout'),
    });
    this.socket = openSocket(settings.url, {
      onOpen: () => this.authenticate(),
      onFrame: (frame) => this.receive(frame),
      onClose: (end) => this.closed(end),
    });
    this.await('connect_timeout', settings.timeouts.connectMs);
  }

  /** Only after `onSession`. Throws what `encodeFrame` throws. */
  send(frame: ClientFrame): void {
    this.sendEncoded(encodeFrame(frame));
  }

  /** Only after `onSession`. */
  sendEncoded(frame: Uint8Array<ArrayBuffer>): void {
    this.socket.send(frame);
  }

  /** Asks whether the other end is still there. Only after `onSession`. */
  probe(): void {
    this.heartbeat.probe();
  }

  /** Resolves when the socket has closed, or has had its time to. No event follows. */
  close(): Promise<void> {
    if (this.phase === 'ended') return Promise.resolve();
    const wasOpen = this.phase !== 'opening';
    this.stop();
    return wasOpen ? this.shakeHands() : Promise.resolve(this.socket.abandon());
  }

  private shakeHands(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.settings.schedule(() => {
        this.socket.abandon();
        resolve();
      }, this.settings.timeouts.closeMs);
      this.onGone = () => {
        cancel();
        resolve();
      };
      this.socket.close();
    });
  }

  private authenticate(): void {
    if (this.phase === 'ended') return;
    this.phase = 'authenticating';
    this.await('auth_timeout', this.settings.timeouts.authMs);
    const { clientId, projectId, resume, notices } = this.settings;
    const token = this.token;
    this.send({
      type: 'auth',
      token,
      protocolVersion: 2,
      reconnect: resume,
      clientId,
      projectId,
      features: true,
      notices: notices || undefined,
      sdk: clientName,
    });
  }

  private receive(bytes: Uint8Array | string): void {
    if (this.phase === 'ended') return;
    this.heartbeat.frameReceived();
    if (bytes.length === 0) return;
    const frame = this.decode(bytes);
    if (frame === undefined) return;
    if (this.phase === 'live') this.events.onFrame(frame);
    else this.authReply(frame);
  }

  private decode(bytes: Uint8Array | string): ServerFrame | undefined {
    try {
      return decodeFrame(bytes);
    } catch (error) {
      this.events.onUndecodable(error as RoomwireError);
      return undefined;
    }
  }

  private authReply(frame: ServerFrame): void {
    if (frame.type === 'error') return this.refused(protocolError(frame));
    if (frame.type !== 'auth') return;
    if (!frame.success) return this.refused(new AuthenticationError(frame.error));
    // Version 1 has no `published` frames: every publish would wait in vain.
    if (frame.session.protocolVersion < 2) return this.refused(new ConnectionError('unsupported_protocol'));
    this.phase = 'live';
    this.cancelDeadline();
    this.heartbeat.start();
    this.events.onSession(frame.session);
  }

  /** The server leaves the socket open after a refusal; the next attempt takes a new one. */
  private refused(error: RoomwireError): void {
    void this.close();
    this.events.onEnd(error);
  }

  private await(failure: ClientFailure, withinMs: number): void {
    this.cancelDeadline();
    this.cancelDeadline = this.settings.schedule(() => this.fail(failure), withinMs);
  }

  private fail(failure: ClientFailure): void {
    this.stop();
    this.socket.abandon();
    this.events.onEnd(new ConnectionError(failure));
  }

  private closed(end: SocketEnd): void {
    this.onGone();
    if (this.phase === 'ended') return;
    const error = this.phase === 'opening' ? neverOpened(end) : lost(end);
    this.stop();
    this.events.onEnd(error);
  }

  private stop(): void {
    this.phase = 'ended';
    this.cancelDeadline();
    this.heartbeat.stop();
  }
}

const lost = ({ code, reason, cause }: SocketEnd): ConnectionError => {
  const message = reason === '' ? undefined : `Connection ended: ${reason} (${code})`;
  return new ConnectionError('connection_lost', { message, closeCode: code, closeReason: reason, cause });
};

/** Browsers do not tell why. */
const neverOpened = ({ code, reason, cause, httpStatus }: SocketEnd): ConnectionError => {
  const details = { closeCode: code, closeReason: reason, cause, httpStatus };
  if (httpStatus === 404) return new ConnectionError('wrong_path', details);
  return new ConnectionError('unreachable', {
    ...details,
    reason: cause === undefined ? undefined : (cause as Error).message,
  });
};
