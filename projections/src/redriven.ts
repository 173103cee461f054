import { Buffer } from 'node:buffer';
import { encode } from '@msgpack/msgpack';
import type { CallPayload, DeadLetter } from '@roomwire/shared/domain/deadLetter';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { TraceParent, WorkQueue } from '@roomwire/shared/wire/bus/channel';
import {
  eventRedrives,
  jobRedrives,
  lostWorkRecord,
  type RedrivenWork,
  scheduleRedrives,
} from '@roomwire/shared/wire/bus/lostWork';
import { webhookCallRecord, webhookCalls, type WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';

interface Redrive {
  readonly redriveId: string;
  readonly traceparent: TraceParent | undefined;
}

/** Puts what a dead letter stands for onto the queue of its kind. Rejects if that is too large, or its payload cannot be read. */
export const putRedriven = async (
  bus: MessageBus,
  entry: DeadLetter,
  sent: CallPayload,
  redrive: Redrive,
): Promise<void> => {
  switch (entry.kind) {
    case 'trigger':
      return bus.put(webhookCalls, callOf(entry, entry.url ?? '', sent, redrive));
    case 'event':
      return bus.put(eventRedrives, eventCallOf(sent, redrive));
    case 'job':
      return putWork(bus, jobRedrives, sent, redrive);
    case 'schedule':
      return putWork(bus, scheduleRedrives, sent, redrive);
  }
};

const putWork = (
  bus: MessageBus,
  queue: WorkQueue<RedrivenWork>,
  sent: CallPayload,
  { redriveId }: Redrive,
): Promise<void> => bus.put(queue, { redriveId, work: lostWorkRecord.codec.decode(recordOf(sent)) });

const recordOf = ({ record = '' }: CallPayload): Uint8Array => Buffer.from(record, 'base64');

type Told = Pick<WebhookCall, 'roomName' | 'topicName' | 'scope'>;
type ToldMessage = Omit<NonNullable<WebhookCall['message']>, 'at'>;

/** The body of a trigger call; `at` and what is around it in version 2 alone. */
type Sent = Told &
  ToldMessage &
  Pick<WebhookCall, 'roomId'> & {
    readonly actorId: string | null;
    readonly data: unknown;
    readonly at: string | undefined;
  };

/** The call as it was, with the same id. */
const callOf = (
  { dlqId, organizationId, projectId, appId }: DeadLetter,
  url: string,
  { requestHeaders, requestBody }: CallPayload,
  redrive: Redrive,
): WebhookCall => {
  const { data, roomName, topicName, actorId, scope, roomId, at, ...message } = requestBody as Sent;
  return {
    ...{ callId: dlqId, kind: 'trigger', organizationId, projectId, appId, url },
    // A backend is nobody.
    ...{ roomName, topicName, actorId: actorId ?? '', scope },
    ...(at !== undefined && { roomId, message: { ...toldOf(message), at: Date.parse(at) } }),
    headers: Object.entries(requestHeaders),
    room: `redriven/${dlqId}`,
    data: encode(data),
    ...begun(redrive),
  };
};

const toldOf = ({ appSlug, topic, id, position }: ToldMessage): ToldMessage => ({
  ...{ appSlug, topic, id, position },
});

/** A redrive makes three attempts. */
const eventCallOf = (sent: CallPayload, redrive: Redrive): WebhookCall => ({
  ...webhookCallRecord.codec.decode(recordOf(sent)),
  ...{ retrySeconds: undefined, firstAttemptAt: undefined, waitsOnMs: undefined },
  ...begun(redrive),
});

const begun = ({
  redriveId,
  traceparent,
}: Redrive): Pick<WebhookCall, 'origin' | 'attempts' | 'traceparent'> => ({
  origin: { by: 'redrive', redriveId },
  attempts: 0,
  ...(traceparent !== undefined && { traceparent }),
});
