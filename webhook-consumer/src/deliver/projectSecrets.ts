import type { Buffer } from 'node:buffer';
import type { SecretBox } from '@roomwire/shared/credentials/secretBox';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { refuseForOwner } from './ownerGone.js';
import { keyOf } from './post.js';

interface Known {
  readonly keys: Promise<readonly Buffer[]>;
  /** Monotonic clock. */
  readonly until: number;
}

interface SecretsDeps {
  readonly views: ViewReader;
  readonly secretBox: SecretBox;
  readonly clock: Clock;
}

/** The safety net behind the domain events. */
const keptMs = 60_000;
const mostProjects = 10_000;

/** The keys that the calls of each project are signed with, kept until a domain event says that they have changed. */
export class ProjectSecrets {
  private readonly deps: SecretsDeps;
  /** Oldest first. */
  private readonly known = new Map<string, Known>();

  constructor(deps: SecretsDeps) {
    this.deps = deps;
  }

  /** Oldest first, none for a project without secrets. Rejects with `OwnerGone`, `SecretNotOpened`, or when the read models fail. */
  keys(projectId: string): Promise<readonly Buffer[]> {
    const now = this.deps.clock.monotonic();
    const known = this.known.get(projectId);
    if (known && known.until > now) return known.keys;
    const keys = this.read(projectId);
    const fresh = { keys, until: now + keptMs };
    this.known.delete(projectId);
    this.known.set(projectId, fresh);
    keys.catch(() => this.known.get(projectId) === fresh && this.known.delete(projectId));
    if (this.known.size > mostProjects) this.known.delete(this.known.keys().next().value as string);
    return keys;
  }

  /** Takes the `domain-events` feed. */
  readonly happened = ({ type, metadata }: RecordedEvent): void => {
    const concerns = type === 'ProjectDeleted' || type.startsWith('WebhookSecret');
    if (concerns && metadata.projectId !== null) this.known.delete(metadata.projectId);
  };

  private async read(projectId: string): Promise<readonly Buffer[]> {
    const { views, secretBox } = this.deps;
    const secrets = await views.find('webhookSecrets', {
      filter: { projectId },
      sort: [['createdPosition', 1]],
    });
    // Read after the secrets: they go with their project, so none is missing where that is still there, and no call is unsigned where it is not.
    if ((await views.get('projects', projectId)) === undefined) await refuseForOwner(views);
    return secrets.map(({ sealedSecret, webhookSecretId }) =>
      keyOf(secretBox.open(sealedSecret, webhookSecretId)),
    );
  }
}
