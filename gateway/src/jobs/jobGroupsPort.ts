import { shardOf } from '@roomwire/shared/domain/shards';
import { internalTopic, topicNameOf } from '@roomwire/shared/domain/topic';
import type {
  CreatedJobGroup,
  JobGroup,
  JobGroups,
  NewJobGroup,
  PeekedJob,
} from '@roomwire/shared/ports/jobGroups';
import type { JobRequests, JobOperation } from './link/jobRequests.js';
import type { JobGroupPlace } from './members/jobMembership.js';
import type { OwnedGroup } from './owner/ownedGroup.js';
import { OtherKindOfGroup } from './owner/otherKindOfGroup.js';
import type { NamedGroup, OwnedShard } from './owner/ownedShard.js';
import type { RedrivenJob } from './redrivenJob.js';
import { unpackedMessage } from './owner/storedMessage.js';

/** All groups of a room are in one shard, whatever their scope. */
export const jobShardOf = (roomId: string): number => shardOf(roomId);

interface OfRoom {
  readonly projectId: string;
  readonly roomId: string;
  readonly groupId?: string;
  readonly limit?: number;
}

/** Asks the owners of groups. */
export class AskedJobGroups implements JobGroups {
  private readonly requests: Pick<JobRequests, 'ask'>;

  constructor(requests: Pick<JobRequests, 'ask'>) {
    this.requests = requests;
  }

  async create(group: NewJobGroup): Promise<CreatedJobGroup> {
    return (await this.ask('create', group)) as CreatedJobGroup;
  }

  async list(projectId: string, roomId: string): Promise<readonly JobGroup[]> {
    return (await this.ask('list', { projectId, roomId })) as readonly JobGroup[];
  }

  async get(projectId: string, roomId: string, groupId: string): Promise<JobGroup | undefined> {
    return ((await this.ask('get', { projectId, roomId, groupId })) ?? undefined) as JobGroup | undefined;
  }

  async peek(
    projectId: string,
    roomId: string,
    groupId: string,
    limit: number,
  ): Promise<readonly PeekedJob[] | undefined> {
    const peeked = await this.ask('peek', { projectId, roomId, groupId, limit });
    return (peeked ?? undefined) as readonly PeekedJob[] | undefined;
  }

  async delete(projectId: string, roomId: string, groupId: string): Promise<boolean> {
    return (await this.ask('delete', { projectId, roomId, groupId })) as boolean;
  }

  private ask(operation: JobOperation, values: OfRoom | NewJobGroup): Promise<unknown> {
    return this.requests.ask(jobShardOf(values.roomId), operation, values);
  }
}

export interface AnswersDeps {
  /** Rejects where this process does not own it. */
  readonly shard: (shard: number) => Promise<OwnedShard>;
  readonly make: (place: JobGroupPlace, group: NewJobGroup) => Promise<OwnedGroup>;
}

/** Answers for the groups of this process. */
export class JobGroupAnswers {
  private readonly deps: AnswersDeps;

  constructor(deps: AnswersDeps) {
    this.deps = deps;
  }

  async create(of: OwnedShard, group: NewJobGroup): Promise<CreatedJobGroup> {
    const { projectId, appId, roomId, accessScopeId, room, name, options } = group;
    const place = {
      ...{ room, name, topic: internalTopic(room, group.topic) },
      owners: { projectId, appId, roomId, accessScopeId },
    };
    const isNew = of.find(place) === undefined;
    try {
      const made = await this.deps.make(place, group);
      await made.madePermanent(options);
      return { group: await made.show(), isNew };
    } catch (error) {
      if (error instanceof OtherKindOfGroup) return 'withoutJobs';
      throw error;
    }
  }

  /** Whether the job is in its group again, durable. */
  private async redrive(of: OwnedShard, job: RedrivenJob): Promise<boolean> {
    const group = [...of].find(
      ({ record: { owners, topic, name } }) =>
        owners.projectId === job.projectId &&
        owners.roomId === job.roomId &&
        owners.accessScopeId === job.accessScopeId &&
        topicNameOf(topic) === job.topicName &&
        name === job.group,
    );
    if (group === undefined) return false;
    group.putBack(unpackedMessage(job.message), job.redriveId);
    await of.flushed();
    return true;
  }

  async answer(shard: number, operation: JobOperation, values: unknown): Promise<unknown> {
    const of = await this.deps.shard(shard);
    if (operation === 'create') return this.create(of, values as NewJobGroup);
    if (operation === 'has') return of.find(values as NamedGroup) !== undefined;
    if (operation === 'redrive') return this.redrive(of, values as RedrivenJob);
    const asked = values as OfRoom;
    if (operation === 'list') return Promise.all(groupsOf(of, asked).map((group) => group.show()));
    const group = asked.groupId === undefined ? undefined : of.get(asked.groupId);
    if (group === undefined || !isOfRoom(group, asked)) return operation === 'delete' ? false : undefined;
    if (operation === 'get') return group.show();
    if (operation === 'peek') return group.peek(asked.limit ?? 100);
    await of.remove(group);
    return true;
  }
}

const isOfRoom = ({ record: { owners } }: OwnedGroup, { projectId, roomId }: OfRoom): boolean =>
  owners.projectId === projectId && owners.roomId === roomId;

const groupsOf = (shard: OwnedShard, asked: OfRoom): readonly OwnedGroup[] =>
  [...shard]
    .filter((group) => isOfRoom(group, asked))
    .sort((one, other) => (one.groupId < other.groupId ? -1 : 1));
