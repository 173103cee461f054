import { Buffer } from 'node:buffer';
import { internalRoom, parseTopicAddress } from '@roomwire/shared/domain/topic';
import type { NewSchedule, ScheduledPublish } from '@roomwire/shared/ports/scheduleStore';
import type { LostWork } from '@roomwire/shared/wire/bus/lostWork';

/** [WS-LATER-3] What a dead letter keeps of a publish that was refused when it was due: all that it takes to make it once more. */
export const lostSchedule = ({ publish, data }: NewSchedule): LostWork => {
  const { scheduledId, organizationId, projectId, appId, roomId, actorTokenId, scope, topic } = publish;
  const parts = parseTopicAddress(topic) ?? { app: '', room: '', topic };
  return {
    // Once it is redriven it is another schedule, with an id of its own.
    ...{ dlqId: scheduledId, kind: 'schedule', organizationId, projectId, appId, roomId, scope, data },
    room: internalRoom(projectId, scope?.slug ?? null, parts.app, parts.room),
    ...{ roomName: parts.room, topicName: parts.topic, actorId: actorTokenId, scheduledId, attempts: 1 },
    rest: Buffer.from(JSON.stringify(publish)),
  };
};

/** The publish that a dead letter was about. */
export const scheduleIn = ({ rest, data }: LostWork): NewSchedule => ({
  publish: JSON.parse(Buffer.from(rest).toString()) as ScheduledPublish,
  data,
});
