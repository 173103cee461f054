import type { SecretBox } from '@roomwire/shared/credentials/secretBox';
import type { SigningKey } from '@roomwire/shared/domain/signing-keys/signingKey';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { EntryCache } from './entryCache.js';

/** A signing key that can verify. */
export interface OpenedKey {
  readonly signingKeyId: string;
  readonly projectId: string;
  readonly isActive: boolean;
  /** As it was shown to the customer. */
  readonly secret: string;
}

/** A key that no master key of this gateway opens, or that is not what was sealed. */
export class UnopenableKey extends Error {
  override readonly name = 'UnopenableKey';
}

const maxKeys = 10_000;

/** Signing keys, opened once and kept until a domain event says that one has changed. */
export class SigningKeys {
  private readonly views: ViewReader;
  private readonly box: SecretBox;
  private readonly keys = new EntryCache<OpenedKey>({ idOf: (key) => key.signingKeyId, maxEntries: maxKeys });

  constructor(views: ViewReader, box: SecretBox) {
    this.views = views;
    this.box = box;
  }

  /** By the `kid` of a client token. Rejects with `UnopenableKey`, or when the read models fail. */
  async find(kid: string): Promise<OpenedKey | undefined> {
    return (this.keys.peek(kid) ?? (await this.keys.load(kid, () => this.read(kid))))?.value;
  }

  changed(signingKeyId: string): void {
    this.keys.drop(signingKeyId);
  }

  projectChanged(projectId: string): void {
    this.keys.dropWhere((key) => key.projectId === projectId);
  }

  forgetAll(): void {
    this.keys.dropWhere(() => true);
  }

  private async read(keyId: string): Promise<OpenedKey | undefined> {
    const [key] = await this.views.find('signingKeys', { filter: { keyId }, limit: 1 });
    return key && this.opened(key);
  }

  private opened({ signingKeyId, projectId, status, sealedSecret }: SigningKey): OpenedKey {
    try {
      const secret = this.box.open(sealedSecret, signingKeyId);
      return { signingKeyId, projectId, isActive: status === 'active', secret };
    } catch (cause) {
      throw new UnopenableKey(`Signing key ${signingKeyId} cannot be opened`, { cause });
    }
  }
}
