import { createHmac } from 'node:crypto';
import type { Clock } from '../ports/clock.js';
import type { Random } from '../ports/random.js';
import type { LimitReports } from '../runtime/limitReports.js';
import { limitTable } from '../wire/limits/limitTable.js';

/** `always`: it can never become good. */
export type RefusalLasts = 'always' | 'briefly';

export interface RefusedCredentialsDeps {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly random: Pick<Random, 'bytes'>;
  readonly limits: Pick<LimitReports, 'reached'>;
  /** How long a refusal that lasts briefly is remembered, unless something changes. */
  readonly brieflyMs: number;
}

interface Remembered<R> {
  readonly refusal: R;
  readonly until: number;
  /** Undefined where no change matters. */
  readonly changes: number | undefined;
}

/** In case a credential became good against all expectation. */
const alwaysMs = 600_000;

const maxEntries = limitTable.refusedCredentials.value;

/**
 * Credentials that were refused a moment ago, so that their repetition costs no engine a read. They are known by a hash under a
 * key that only this process has: nobody can look up credentials in its memory.
 */
export class RefusedCredentials<R> {
  private readonly deps: RefusedCredentialsDeps;
  private readonly key: Uint8Array;
  /** Those refused longest ago first. */
  private readonly entries = new Map<string, Remembered<R>>();
  private changeCount = 0;

  constructor(deps: RefusedCredentialsDeps) {
    this.deps = deps;
    this.key = deps.random.bytes(32);
  }

  /** Of what may make credentials good. A check notes it before it reads anything. */
  get changes(): number {
    return this.changeCount;
  }

  /** Something has changed that may have made credentials good. */
  changed(): void {
    this.changeCount++;
  }

  find(credential: string): R | undefined {
    // Mostly there are none, and good credentials come with every request.
    if (this.entries.size === 0) return undefined;
    const hash = this.hashOf(credential);
    const known = this.entries.get(hash);
    if (known === undefined) return undefined;
    const isStale = known.changes !== undefined && known.changes !== this.changeCount;
    if (!isStale && this.deps.clock.monotonic() < known.until) return known.refusal;
    this.entries.delete(hash);
    return undefined;
  }

  /** `changesBefore`: the changes when its check began; what was read may be older than a later one. */
  add(credential: string, refusal: R, lasts: RefusalLasts, changesBefore: number): void {
    if (lasts === 'briefly' && changesBefore !== this.changeCount) return;
    const hash = this.hashOf(credential);
    this.entries.delete(hash);
    const until = this.deps.clock.monotonic() + (lasts === 'always' ? alwaysMs : this.deps.brieflyMs);
    this.entries.set(hash, { refusal, until, changes: lasts === 'always' ? undefined : changesBefore });
    if (this.entries.size <= maxEntries) return;
    this.entries.delete(this.entries.keys().next().value as string);
    this.deps.limits.reached('refusedCredentials');
  }

  private hashOf(credential: string): string {
    return createHmac('sha256', this.key).update(credential).digest('base64url');
  }
}
