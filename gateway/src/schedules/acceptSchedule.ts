import { shardOf } from '@roomwire/shared/domain/shards';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { NewSchedule, ScheduledPublish, ScheduleStore } from '@roomwire/shared/ports/scheduleStore';
import type { PublishFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import type { Author } from '../access/client.js';
import type { TopicAccess } from '../access/topicAccess.js';
import type { GatewayMetrics } from '../metrics.js';
import type { ProjectUsage } from '../limits/projectUsage.js';
import { Batches } from '../publishing/batches.js';
import type { MessageIds } from '../publishing/messageIds.js';
import type { PublishClaims, WonClaim } from '../publishing/publishClaims.js';
import type { Publisher } from '../publishing/publisher.js';
import { scheduledIdOf } from './scheduledId.js';
import type { ScheduleRoom } from './scheduleRoom.js';

/** A publish for later that the quota has admitted. */
export interface AdmittedSchedule {
  readonly author: Author;
  readonly frame: PublishFrame;
  readonly access: TopicAccess;
  readonly usage: Pick<ProjectUsage, 'end'>;
  readonly claim: WonClaim | undefined;
  readonly isSilent?: boolean | undefined;
}

/** Stores what was admitted, and answers. Never rejects. */
export type AcceptSchedule = (publisher: Publisher, admitted: AdmittedSchedule) => Promise<void>;

interface AcceptDeps {
  /** Undefined where nothing can be scheduled. */
  readonly store: Pick<ScheduleStore, 'add'> | undefined;
  readonly room: Pick<ScheduleRoom, 'take'> | undefined;
  readonly metrics: Pick<GatewayMetrics, 'scheduled'>;
  readonly claims: Pick<PublishClaims, 'sent' | 'free' | 'givenUp'>;
  readonly ids: Pick<MessageIds, 'next'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
  /** Of one that is stored. */
  readonly onStored: (publish: ScheduledPublish) => void;
}

type Refused = 'brokerUnavailable' | 'scheduleLimit';

/** [WS-LATER-1] It is durable, and counted, before it is answered. */
export const createAcceptSchedule = (deps: AcceptDeps): AcceptSchedule => {
  const { store, room, claims, ids, clock, logger, metrics, onStored } = deps;

  const storeAll = async (schedules: readonly NewSchedule[]) => {
    if (store === undefined || room === undefined) return schedules.map(() => 'brokerUnavailable' as const);
    const errors: (undefined | 'scheduleLimit')[] = [];
    for (const { publish } of schedules)
      errors.push((await room.take(publish.projectId, publish.bytes)) ? undefined : 'scheduleLimit');
    await store.add(schedules.filter((_, index) => errors[index] === undefined));
    return errors;
  };

  // [WS-LATER-2] One call after the other, or one that is due at once might be seen before its predecessor.
  const adds = new Batches<NewSchedule, Refused | undefined>(storeAll, 1);

  const stored = async (publish: ScheduledPublish, data: Uint8Array): Promise<Refused | undefined> => {
    try {
      // A copy: a slice that is kept would keep the whole frame.
      return await adds.add({ publish, data: new Uint8Array(data) });
    } catch (error) {
      logger.warn('A publish for later could not be stored', { topic: publish.topic, error });
      return 'brokerUnavailable';
    }
  };

  return async (publisher, admitted) => {
    const { frame, usage, claim } = admitted;
    publisher.begin();
    // Not that of the claim: it may have been made earlier, or by a publisher that was killed.
    const place = ids.next(publisher.mark);
    const messageId = claim?.messageId ?? place;
    const publish = scheduleOf({ scheduledId: scheduledIdOf(messageId), place }, admitted, clock.now());
    const error = await stored(publish, frame.data);
    usage.end(error === undefined);
    if (claim !== undefined)
      await (error === undefined
        ? claims.sent({ ...claim, deliverAt: publish.deliverAt })
        : error === 'scheduleLimit'
          ? claims.free(claim)
          : claims.givenUp(claim));
    publisher.end();
    if (error !== undefined) return publisher.answers.refused(frame, error);
    const { scheduledId, deliverAt } = publish;
    publisher.answers.accepted(frame, { messageId, isDuplicate: false, scheduledId, deliverAt });
    metrics.scheduled.accepted += 1;
    onStored(publish);
  };
};

/** [WS-LATER-2] A past time is now. */
const scheduleOf = (
  names: Pick<ScheduledPublish, 'scheduledId' | 'place'>,
  { author, frame, access, claim, isSilent }: AdmittedSchedule,
  now: number,
): ScheduledPublish => {
  const { organizationId, projectId, actorTokenId, accessScope, externalType, issuedAt } = author;
  const { topic, id, filter, filters, retain, qos, data, deliverAt = now } = frame;
  const { appId } = access.location.app.value;
  const { roomId } = access.location.room.value;
  return {
    ...names,
    ...{ organizationId, projectId, appId, roomId, actorTokenId },
    shard: shardOf(`${roomId}/${accessScope?.accessScopeId ?? ''}`),
    ...{ deliverAt: Math.max(deliverAt, now), createdAt: now },
    scope: accessScope && {
      accessScopeId: accessScope.accessScopeId,
      slug: accessScope.slug,
      name: accessScope.name,
    },
    ...(externalType !== undefined && { externalType }),
    ...(issuedAt !== undefined && { issuedAt }),
    ...{ topic, filters, retain, qos, bytes: data.length },
    ...(id !== undefined && { id }),
    ...(claim !== undefined && { claim: { key: claim.key, messageId: claim.messageId } }),
    ...(filter !== undefined && { filter }),
    ...(isSilent === true && { isSilent }),
  };
};
