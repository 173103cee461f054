import type { Database } from 'lmdb';
import { EngineUnavailable } from '../../ports/errors.js';
import type {
  ClaimOutcome,
  PublishClaim,
  PublishIdStore,
  SentClaim,
  SettledClaim,
} from '../../ports/publishIds.js';
import { startExpirySweep, type ExpirySweep } from '../../runtime/expirySweep.js';
import { once } from '../../runtime/service.js';
import { openDurableEnvironment, type DurableEnvironment } from '../lmdb/durableEnvironment.js';
import { createGroupCommit } from '../lmdb/groupCommit.js';
import { decideClaim, sentNow, type KeptClaim } from './decideClaim.js';
import { publishIdSettings, type PublishIdOptions, type PublishIdSettings } from './publishIdOptions.js';

/** Removals in one transaction, which takes a few milliseconds. */
const step = 500;

/** Publish ids in an LMDB file. */
class EmbeddedPublishIds implements PublishIdStore {
  private readonly settings: PublishIdSettings;
  private readonly environment: DurableEnvironment;
  private readonly claims: Database<KeptClaim, string>;
  private readonly expiries: Database<boolean, [expiresAt: number, key: string]>;
  private readonly sweep: ExpirySweep;
  private isOpen = true;

  private readonly commits = createGroupCommit<() => void, void>({
    transact: (work) => this.environment.transact(work),
    write: (changes) => changes.map((change) => change()),
    committed: () => undefined,
  });

  constructor(path: string, settings: PublishIdSettings) {
    this.settings = settings;
    this.environment = openDurableEnvironment(path);
    const { root } = this.environment;
    this.claims = root.openDB('claims', { encoding: 'json' });
    this.expiries = root.openDB('expiries', { encoding: 'ordered-binary' });
    this.sweep = startExpirySweep({
      what: 'Publish ids',
      everyMs: settings.expiryEveryMs,
      removeSome: () => this.removeSome(),
      logger: settings.logger,
    });
  }

  async claim(claims: readonly PublishClaim[]): Promise<readonly ClaimOutcome[]> {
    const outcomes: ClaimOutcome[] = [];
    await this.commit(claims, (claim) => void outcomes.push(this.decide(claim)));
    return outcomes;
  }

  sent(claims: readonly SentClaim[]): Promise<void> {
    return this.settle(claims, (claim, kept) => this.keep(claim.key, { ...kept, ...sentNow(claim) }));
  }

  free(claims: readonly SettledClaim[]): Promise<void> {
    return this.settle(claims, ({ key }, kept) => {
      if (kept.isRepeated) this.giveUpOne(key, kept);
      else if (kept.state !== 'sent') this.remove(key, kept);
    });
  }

  giveUp(claims: readonly SettledClaim[]): Promise<void> {
    return this.settle(claims, ({ key }, kept) => this.giveUpOne(key, kept));
  }

  readonly close = once(async () => {
    this.isOpen = false;
    await Promise.all([this.commits.idle(), this.sweep.stop()]);
    await this.environment.close();
  });

  /** Within a transaction. */
  private decide(claim: PublishClaim): ClaimOutcome {
    const kept = this.claims.get(claim.key);
    const { outcome, keep } = decideClaim(claim, kept, this.settings.clock.now(), this.settings);
    if (keep === undefined) return outcome;
    if (kept !== undefined && kept.expiresAt !== keep.expiresAt) this.remove(claim.key, kept);
    this.keep(claim.key, keep);
    this.expiries.putSync([keep.expiresAt, claim.key], true);
    return outcome;
  }

  /** Within a transaction. */
  private giveUpOne(key: string, kept: KeptClaim): void {
    if (kept.state !== 'sent') this.keep(key, { ...kept, state: 'givenUp' });
  }

  private keep(key: string, kept: KeptClaim): void {
    this.claims.putSync(key, kept);
  }

  private remove(key: string, { expiresAt }: KeptClaim): void {
    this.claims.removeSync(key);
    this.expiries.removeSync([expiresAt, key]);
  }

  /** `change` runs within a transaction, for those that nothing has replaced. */
  private settle<Settled extends SettledClaim>(
    claims: readonly Settled[],
    change: (claim: Settled, kept: KeptClaim) => void,
  ): Promise<void> {
    return this.commit(claims, (claim) => {
      const kept = this.claims.get(claim.key);
      if (kept?.messageId === claim.messageId) change(claim, kept);
    });
  }

  /** Resolves when all of it is on disk. */
  private async commit<T>(items: readonly T[], change: (item: T) => void): Promise<void> {
    if (!this.isOpen) throw new EngineUnavailable('publish ids');
    try {
      await Promise.all(items.map((item) => this.commits.submit(() => change(item))));
    } catch (cause) {
      throw new EngineUnavailable('publish ids', { cause });
    }
  }

  private async removeSome(): Promise<boolean> {
    const now = this.settings.clock.now();
    const due = [...this.expiries.getKeys({ start: [0, ''], end: [now + 1, ''], limit: step })];
    if (due.length === 0) return false;
    await this.environment.transact(() => {
      for (const [expiresAt, key] of due) {
        this.expiries.removeSync([expiresAt, key]);
        // Meanwhile another claim may have been kept under the key.
        if (this.claims.get(key)?.expiresAt === expiresAt) this.claims.removeSync(key);
      }
    });
    return due.length === step;
  }
}

interface Files {
  file(name: string): string;
}

/** In `publish-ids.lmdb` in the data folder. */
export const openEmbeddedPublishIds = async (
  folder: Files,
  options: PublishIdOptions = {},
): Promise<PublishIdStore> =>
  new EmbeddedPublishIds(folder.file('publish-ids.lmdb'), publishIdSettings(options));
