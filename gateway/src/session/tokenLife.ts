import type { ConsoleSession } from '@roomwire/shared/domain/consoleAccess';
import { isRevokedBy } from '@roomwire/shared/domain/tokenRevocation';
import type { LiveClientToken } from '../access/liveClientToken.js';
import type { LatestRevocation } from '../access/tokenRevocations.js';

/** How long before its expiry a client hears of it. */
const noticeMs = 30_000;

/** The credential under which a connection goes on, and how long. All times are milliseconds since 1970, but `exp`. */
export class TokenLife {
  /** Null under an access token. */
  private readonly token: LiveClientToken | null;
  private readonly endsAt: number;
  /** Infinity once it has been given. */
  private noticeAt: number;

  /** `now`: when the connection began to rest on it. */
  constructor(token: LiveClientToken | null, now: number, wantsNotices: boolean) {
    this.token = token;
    this.endsAt = token?.expiresAt === undefined ? Number.POSITIVE_INFINITY : token.expiresAt * 1_000;
    this.noticeAt = wantsNotices ? noticeTime(now, this.endsAt) : Number.POSITIVE_INFINITY;
  }

  get signingKeyId(): string | undefined {
    return this.token?.signingKeyId;
  }

  get consoleSession(): ConsoleSession | undefined {
    return this.token?.consoleSession;
  }

  isRevokedBy(revocation: LatestRevocation): boolean {
    return this.token !== null && isRevokedBy(revocation, this.token.issuedAt);
  }

  isOver(now: number): boolean {
    return this.endsAt <= now;
  }

  /** [WS-NOTICE-1] Its `exp`, once, when the client is to hear that it comes. */
  takeNotice(now: number): number | undefined {
    if (now < this.noticeAt) return undefined;
    this.noticeAt = Number.POSITIVE_INFINITY;
    return this.token?.expiresAt;
  }
}

const noticeTime = (now: number, endsAt: number): number => {
  const life = endsAt - now;
  return life > noticeMs ? endsAt - noticeMs : now + life / 2;
};
