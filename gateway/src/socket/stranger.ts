import type { Buffer } from 'node:buffer';
import type { AuthFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { parseAuth } from '@roomwire/shared/wire/protocol/parseFrame';
import { closes, type AuthError } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { GatewayMetrics } from '../metrics.js';
import type { AuthenticatingLink, PendingSession, Sessions } from '../session/sessions.js';
import { countUndecided } from './undecidedReads.js';
import type { WaitingBytes } from './waitingBytes.js';
import { clientsBounds, strangersBounds, type FrameSocket } from './wsListener.js';

/** What it needs of its connection. */
export interface StrangerLink extends AuthenticatingLink {
  /** Ends it as for a frame that is too large. */
  tooLarge(): void;
  /** It is a stranger no longer. */
  admit(admission: PendingSession): void;
}

export interface StrangerDeps {
  readonly metrics: GatewayMetrics;
  readonly sessions: Sessions;
  /** Bytes behind an `auth` that is being decided. */
  readonly undecided: WaitingBytes;
}

const mostFrames = limitTable.framesBeforeAuth.value;
const mostFailedAuths = limitTable.failedAuths.value;

/** A connection before it is authenticated: of its frames only an `auth` is decoded. */
export class Stranger {
  private readonly socket: FrameSocket;
  private readonly link: StrangerLink;
  private readonly deps: StrangerDeps;
  private frames = 0;
  private failedAuths = 0;

  constructor(socket: FrameSocket, link: StrangerLink, deps: StrangerDeps) {
    this.socket = socket;
    this.link = link;
    this.deps = deps;
  }

  /** [WS-AUTH-15] A frame may be larger only if it came behind an `auth`, which has failed since. */
  handle(bytes: Buffer, isText: boolean): Promise<void> | undefined {
    if (bytes.length > strangersBounds.bytes) return void this.link.tooLarge();
    const frame = parseAuth(bytes, isText);
    if (frame !== undefined && frame !== 'invalid') return this.authenticate(frame);
    this.link.sendError(frame === 'invalid' ? 'invalidFrame' : 'notAuthenticated', {});
    if (++this.frames >= mostFrames) this.link.close(closes.tooManyFramesBeforeAuth);
    return undefined;
  }

  /** Nothing waits behind an `auth` any more, and none has succeeded. */
  onDrained(): void {
    if (!this.socket.bound(strangersBounds)) this.link.tooLarge();
  }

  /** [WS-AUTH-16] */
  private async authenticate(frame: AuthFrame): Promise<void> {
    const { link, socket } = this;
    socket.bound(clientsBounds);
    const stopCounting = countUndecided(socket, this.deps.undecided, () => link.pauseReading());
    try {
      const admission = await this.deps.sessions.authenticate(link, frame);
      if (typeof admission !== 'string') await this.decide(admission);
      else if (!link.isClosed) this.denied(admission);
    } finally {
      stopCounting();
    }
  }

  private async decide(admission: PendingSession): Promise<void> {
    if (this.link.isClosed) return admission.cancel();
    const place = admission.takePlace();
    const refusal = place instanceof Promise ? ((await place) ?? admission.refusalOfActor()) : place;
    if (refusal === undefined && !this.link.isClosed) return this.link.admit(admission);
    admission.cancel();
    if (refusal !== undefined && !this.link.isClosed) this.denied(refusal);
  }

  private denied(error: AuthError): void {
    this.deps.metrics.failedAuths++;
    this.link.send({ type: 'auth', success: false, error });
    if (++this.failedAuths >= mostFailedAuths) this.link.close(closes.tooManyFailedAuths);
  }
}
