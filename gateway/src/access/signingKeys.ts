import type { SecretBox } from '@roomwire/shared/credentials/secretBox';
import type { SigningKey } from '@roomwire/shared/domain/signingKey';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { EntryCache } from './entryCache.js';

/** A signing key as far as it can be used. */
export interface OpenedKey {
  readonly signingKeyId: string;
  readonly projectId: string;
  readonly isActive: boolean;
  readonly allowExternalActors: boolean;
  /** Decrypted, in the form that the customer was given. */
  readonly secret: string | UnopenableKey;
}

/** A key that no master key of this gateway decrypts, or that was altered. */
export class UnopenableKey extends Error {
  override readonly name = 'UnopenableKey';
}

/** Signing keys, decrypted or tried once and cached until a domain event invalidates them. */
export class SigningKeys {
  private readonly views: ViewReader;
  private readonly box: SecretBox;
  private readonly keys: EntryCache<OpenedKey>;

  constructor(views: ViewReader, box: SecretBox, limits?: Pick<LimitReports, 'reached'>) {
    this.views = views;
    this.box = box;
    this.keys = new EntryCache({
      idOf: (key) => key.signingKeyId,
      maxEntries: limitTable.cachedSigningKeys.value,
      onEvicted: () => limits?.reached('cachedSigningKeys'),
    });
  }

  /** By the `kid` of a client token. Rejects when the read models fail. */
  async find(kid: string): Promise<OpenedKey | undefined> {
    return (this.keys.peek(kid) ?? (await this.keys.load(kid, () => this.read(kid))))?.value;
  }

  changed(signingKeyId: string): void {
    this.keys.drop(signingKeyId);
  }

  projectChanged(projectId: string): void {
    this.keys.dropProject(projectId);
  }

  /** What of these projects may have changed unnoticed. */
  forget(isMeant: (projectId: string) => boolean): void {
    this.keys.forget(isMeant);
  }

  forgetAll(): void {
    this.keys.dropAll();
  }

  private async read(keyId: string): Promise<OpenedKey | undefined> {
    const [key] = await this.views.find('signingKeys', { filter: { keyId }, limit: 1 });
    return key && this.opened(key);
  }

  private opened(key: SigningKey): OpenedKey {
    const { signingKeyId, projectId, status, allowExternalActors, sealedSecret } = key;
    const secret = this.secretOf(sealedSecret, signingKeyId);
    return { signingKeyId, projectId, isActive: status === 'active', allowExternalActors, secret };
  }

  private secretOf(sealed: SigningKey['sealedSecret'], signingKeyId: string): string | UnopenableKey {
    try {
      return this.box.open(sealed, signingKeyId);
    } catch (cause) {
      return new UnopenableKey(`Signing key ${signingKeyId} cannot be opened`, { cause });
    }
  }
}
