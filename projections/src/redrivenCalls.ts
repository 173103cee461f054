import { encode } from '@msgpack/msgpack';
import { webhookCalls, type WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import type { DeadLetter, DeadLetterEvent } from '@roomwire/shared/domain/dead-letters/deadLetter';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { readEvent } from '@roomwire/shared/domain/readEvent';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';

interface RedriveDeps {
  readonly views: ViewStore;
  readonly bus: MessageBus;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Read models that are built anew meet every redrive of the past once more: what was asked for long ago is not made again. */
const mostRecentMs = 3_600_000;

/** [HOOK-REDRIVE-1] Puts the calls on the bus that operators have asked for. Resolves when none of them can be lost. */
export const putRedrivenCalls = async (
  deps: RedriveDeps,
  events: readonly RecordedEvent[],
): Promise<void> => {
  const oldest = new Date(deps.clock.now() - mostRecentMs).toISOString();
  for (const recorded of events) {
    if (recorded.type !== 'DeadLetterRedriven' || recorded.metadata.occurredAt < oldest) continue;
    const { data } = readEvent(recorded) as Extract<DeadLetterEvent, { type: 'DeadLetterRedriven' }>;
    const entry = await deps.views.get('deadLetters', data.dlqId);
    if (entry === undefined) continue;
    await deps.bus.put(webhookCalls, callOf(entry, data.redriveId, recorded)).catch((error: unknown) => {
      // Written anew, a message may be larger than it was. The read models of everybody do not wait for it.
      if (!(error instanceof RangeError)) throw error;
      deps.logger.error('A webhook call is too large to be made again', { callId: entry.dlqId });
    });
  }
};

/** What is in the body of a trigger call. */
type Sent = Pick<WebhookCall, 'roomName' | 'topicName' | 'actorId' | 'scope'> & { readonly data: unknown };

/** The call as it was, with the same id. */
const callOf = (
  entry: DeadLetter,
  redriveId: string,
  { metadata: { traceparent } }: RecordedEvent,
): WebhookCall => {
  const { dlqId, organizationId, projectId, appId, kind, url, requestHeaders, requestBody } = entry;
  const { data, ...told } = requestBody as Sent;
  return {
    ...{ callId: dlqId, kind, organizationId, projectId, appId, url, ...told },
    headers: Object.entries(requestHeaders),
    room: `redriven/${dlqId}`,
    data: encode(data),
    origin: { by: 'redrive', redriveId },
    attempts: 0,
    ...(traceparent !== undefined && { traceparent }),
  };
};
