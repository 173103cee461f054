import { Buffer } from 'node:buffer';
import { encode } from '@msgpack/msgpack';
import { nameUuid } from '@roomwire/shared/credentials/nameUuid';
import { topicNameOf } from '@roomwire/shared/domain/topic';
import type { JobGroupRecord } from '@roomwire/shared/ports/jobStore';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { backOffMs, sleep } from '@roomwire/shared/runtime/waiting';
import type { LostWork } from '@roomwire/shared/wire/bus/lostWork';
import { webhookReports } from '@roomwire/shared/wire/bus/webhookReports';
import { messagePackFields } from '@roomwire/shared/wire/protocol/frameFields';
import type { Burial, DeadJob } from './burial.js';
import { packedMessage } from './storedMessage.js';

export interface ReportedBurialDeps {
  readonly bus: Pick<MessageBus, 'put'>;
  readonly views: Pick<ViewReader, 'get'>;
  readonly logger: Logger;
}

const betweenTries = { firstMs: 250, longestMs: 10_000 };
const nil = encode(null);

/** Hands dead jobs to the service that keeps the dead letters. */
export class ReportedBurial implements Burial {
  private readonly deps: ReportedBurialDeps;
  private readonly closing = new AbortController();

  constructor(deps: ReportedBurialDeps) {
    this.deps = deps;
  }

  async bury(group: JobGroupRecord, job: DeadJob): Promise<boolean> {
    const { bus, logger } = this.deps;
    for (let failures = 1; !this.closing.signal.aborted; failures++) {
      try {
        const work = await this.workOf(group, job);
        // What it belonged to is gone, and it goes as well.
        if (work === undefined) return true;
        await bus.put(webhookReports, { outcome: 'lost', work, error: job.cause, status: 'pending' });
        return true;
      } catch (error) {
        if (failures === 1) logger.warn('A job is not a dead letter yet', { groupId: group.groupId, error });
        await sleep(backOffMs(betweenTries, failures), this.closing.signal);
      }
    }
    return false;
  }

  close(): void {
    this.closing.abort();
  }

  private async workOf(
    { groupId, owners, room, topic, name }: JobGroupRecord,
    { message, seq, counted }: DeadJob,
  ): Promise<LostWork | undefined> {
    const { views } = this.deps;
    const { projectId, appId, roomId, accessScopeId } = owners;
    const [project, ofRoom, scope] = await Promise.all([
      views.get('projects', projectId),
      views.get('rooms', roomId),
      accessScopeId === null ? null : views.get('scopes', accessScopeId),
    ]);
    if (project === undefined || ofRoom === undefined || scope === undefined) return undefined;
    return {
      dlqId: nameUuid(groupId, String(seq)),
      kind: 'job',
      ...{ organizationId: project.organizationId, projectId, appId, roomId, room },
      ...{ roomName: ofRoom.slug, topicName: topicNameOf(topic), actorId: message.publisher },
      scope: scope && { accessScopeId: scope.accessScopeId, slug: scope.slug, name: scope.name },
      data: messagePackFields(Buffer.from(message.body)).raw('data') ?? nil,
      ...{ group: name, attempts: counted, rest: packedMessage(message) },
    };
  }
}
