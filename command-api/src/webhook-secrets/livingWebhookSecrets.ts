import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { ProjectEvent } from '@roomwire/shared/domain/projects/project';
import { readEvent } from '@roomwire/shared/domain/readEvent';
import {
  evolveWebhookSecret,
  type WebhookSecret,
  type WebhookSecretEvent,
} from '@roomwire/shared/domain/webhook-secrets/webhookSecret';
import type { EventLog, LogPosition } from '@roomwire/shared/ports/eventLog';

/** A webhook secret as the log has it, and whose it is. */
export interface LivingWebhookSecret {
  readonly secret: WebhookSecret;
  readonly organizationId: string;
}

type Seen = WebhookSecretEvent | Extract<ProjectEvent, { type: 'ProjectDeleted' }>;

const seenTypes: ReadonlySet<string> = new Set<Seen['type']>([
  'WebhookSecretCreated',
  'WebhookSecretResealed',
  'WebhookSecretDeleted',
  'ProjectDeleted',
]);

/** The webhook secrets that have neither been deleted nor gone with their project; each call reads the log on to its end. */
export const createLivingWebhookSecrets = (
  log: EventLog,
): { read(): Promise<readonly LivingWebhookSecret[]> } => {
  const living = new Map<string, LivingWebhookSecret>();
  let position: LogPosition | undefined;

  const see = (recorded: RecordedEvent): void => {
    if (!seenTypes.has(recorded.type)) return;
    const event = readEvent(recorded) as Seen & { readonly occurredAt: string };
    if (event.type === 'ProjectDeleted') return forgetProject(event.data.projectId);
    const { webhookSecretId } = event.data;
    const secret = evolveWebhookSecret(living.get(webhookSecretId)?.secret, event);
    if (secret === undefined) living.delete(webhookSecretId);
    else living.set(webhookSecretId, { secret, organizationId: recorded.metadata.organizationId });
  };

  const forgetProject = (projectId: string): void => {
    for (const [webhookSecretId, { secret }] of living)
      if (secret.projectId === projectId) living.delete(webhookSecretId);
  };

  return {
    async read() {
      for await (const events of log.readAll(position)) {
        events.forEach(see);
        position = events.at(-1)?.position ?? position;
      }
      return [...living.values()];
    },
  };
};
