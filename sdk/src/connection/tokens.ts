import { AuthenticationError, ConnectionError, type RoomwireError } from '../errors.js';
import { isFilledText, type Settings, type TokenFunction } from '../options.js';
import { nothing } from '../primitives.js';
import { tokenFlaw } from './tokenText.js';

interface Refusal {
  readonly token: string | undefined;
  readonly error: RoomwireError;
}

/** The token that is in use, and where the next one comes from. */
export class Tokens {
  /** Nobody needs a token any more: the wait for one would keep a process from its end. */
  stopWaiting = nothing;
  private readonly settings: Settings;
  private call: Promise<string> | undefined;
  private used: string | undefined;
  private refusal: Refusal | undefined;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  /** Whether there may be another one. */
  get areRenewable(): boolean {
    return typeof this.settings.token === 'function';
  }

  /** Of the attempt or the connection at hand. */
  get inUse(): string | undefined {
    return this.used;
  }

  /** The function is called once at a time: whoever asks meanwhile gets its token too, unless that has been refused since. */
  async obtain(): Promise<string> {
    const underWay = this.call;
    if (underWay !== undefined) {
      const token = await underWay;
      if (this.refusalOf(token) === undefined) return token;
    }
    return (this.call ??= this.ask().finally(() => (this.call = undefined)));
  }

  use(token: string): void {
    this.used = token;
  }

  accepted(): void {
    this.refusal = undefined;
  }

  /** Told to the function, so that it does not give this one again. */
  refused(token: string | undefined, error: RoomwireError): void {
    this.refusal = { token, error };
  }

  /** Why this token need not be sent; undefined for one that may be good. */
  refusalOf(token: string): RoomwireError | undefined {
    return this.refusal?.token === token ? this.refusal.error : undefined;
  }

  private async ask(): Promise<string> {
    const { token } = this.settings;
    if (typeof token === 'string') return token;
    const given = await this.inTime(token).catch((cause: unknown) => {
      throw new ConnectionError('token_unavailable', { cause });
    });
    if (!isFilledText(given)) throw new ConnectionError('token_unavailable');
    return given;
  }

  /** A function that never answers must not hold the client for ever. */
  private async inTime(token: TokenFunction): Promise<string> {
    const { schedule, timeouts } = this.settings;
    const tooLate = new Promise<never>((_, reject) => {
      this.stopWaiting = schedule(() => reject(new Error('No answer in time')), timeouts.tokenMs);
    });
    try {
      return await Promise.race([token({ refused: this.refusal?.error }), tooLate]);
    } finally {
      this.stopWaiting();
    }
  }
}

/** Why it is not even sent. The token itself is never in it. */
export const flawError = (token: string): AuthenticationError | undefined => {
  const flaw = tokenFlaw(token);
  return flaw && new AuthenticationError(flaw);
};
