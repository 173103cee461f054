import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '@roomwire/shared/ports/clock';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { JobGroups, JobOptions } from '@roomwire/shared/ports/jobGroups';
import type { JobGroupRecord } from '@roomwire/shared/ports/jobStore';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { CollectMetrics } from '@roomwire/shared/ports/metrics';
import type { Random } from '@roomwire/shared/ports/random';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import {
  everyProcess,
  shardKey,
  shardOfKey,
  type JobCommand,
  type JobNews,
} from '@roomwire/shared/wire/bus/jobNews';
import { withTimeout } from '@roomwire/shared/runtime/waiting';
import { AskedJobGroups, JobGroupAnswers, jobShardOf } from './jobGroupsPort.js';
import { showCounts, showGroups } from './jobMetrics.js';
import { JobRedrives } from './jobRedrives.js';
import { JobLink } from './link/jobLink.js';
import { JobRequests } from './link/jobRequests.js';
import { MemberProcesses } from './link/memberProcesses.js';
import { RemoteGroups, type RejoiningRecipient } from './link/remoteGroups.js';
import { ShardOwners } from './link/shardOwners.js';
import { LocalMember } from './localMember.js';
import {
  JobMembership,
  type JobGroupPlace,
  type JobMemberOptions,
  type JobMemberRequest,
  type JoinedGroup,
} from './members/jobMembership.js';
import { JobOwner, type JobOwnerDeps } from './owner/jobOwner.js';
import type { OwnedGroup } from './owner/ownedGroup.js';
import type { NamedGroup, OwnedShard } from './owner/ownedShard.js';
import { OtherKindOfGroup } from './owner/otherKindOfGroup.js';

export interface JobsDeps extends Omit<JobOwnerDeps, 'owned' | 'gather'> {
  /** Of this process. */
  readonly processId: string;
  readonly bus: Pick<MessageBus, 'read' | 'send' | 'put' | 'work'>;
  readonly clock: Clock;
  readonly random: Pick<Random, 'uuid'>;
  /** Whether a group without jobs has members, on any gateway. */
  readonly hasPlainMembers: (topic: string, name: string) => boolean;
  /** Those of the others that have members. */
  readonly otherGateways: () => readonly string[];
}

const tickMs = 1_000;
const betweenTriesMs = 100;
/** Longer than it takes another process to take over. */
const patienceMs = 25_000;
/** A group without jobs does not depend on the owners of others. */
const kindMs = 1_000;

/** The worker groups with jobs, as far as this gateway has to do with them. */
export class Jobs {
  /** All groups, wherever they are. */
  readonly groups: JobGroups;
  private readonly deps: JobsDeps;
  private readonly link: JobLink;
  private readonly owners: ShardOwners;
  private readonly owner: JobOwner;
  private readonly remote: RemoteGroups;
  private readonly processes: MemberProcesses;
  private readonly requests: JobRequests;
  private readonly redrives: JobRedrives;
  private readonly memberships = new Map<number, Set<JobMembership>>();
  private announcing: [shard: number, term: number][] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(deps: JobsDeps) {
    const { clock, logger, bus, processId } = deps;
    const now = (): number => clock.monotonic();
    this.deps = deps;
    this.link = new JobLink({ id: processId, bus, logger });
    this.owners = new ShardOwners((shard) => this.ownerChanged(shard));
    this.owner = new JobOwner({ ...deps, owned: (shard, term) => void this.owned(shard, term) });
    const { link, owners } = this;
    this.remote = new RemoteGroups({ link, owners, now });
    this.processes = new MemberProcesses({
      ...{ link, now, others: deps.others },
      groupAt: (place, { options }) => this.groupAt(place, options),
    });
    const answers = new JobGroupAnswers({
      shard: (shard) => this.ownShard(shard),
      make: (place, { options }) => this.groupAt(place, options),
    });
    this.requests = new JobRequests({
      ...{ link, owners },
      answer: (shard, operation, values) => answers.answer(shard, operation, values),
    });
    this.redrives = new JobRedrives({ bus, requests: this.requests });
    this.groups = new AskedJobGroups(this.requests);
  }

  async start(): Promise<void> {
    await this.link.start((news) => this.hear(news));
    this.owner.start();
    this.link.send({ kind: 'who', to: everyProcess, from: this.link.id });
    this.timer = setInterval(() => this.processes.check((shard) => this.ownTerm(shard)), tickMs).unref();
    await this.redrives.start();
  }

  /** A membership that is not in force until it has joined. */
  member(options: JobMemberOptions): JobMembership {
    const shard = jobShardOf(options.owners.roomId);
    const listed = this.memberships.get(shard) ?? new Set();
    this.memberships.set(shard, listed);
    const membership: JobMembership = new JobMembership(options, {
      join: (request) => this.join(request, membership),
      now: () => this.deps.clock.monotonic(),
      left: () => void listed.delete(membership),
    });
    listed.add(membership);
    return membership;
  }

  /** Every message of a room. Where its topic has no group with jobs here it costs a look-up. */
  take(message: LiveMessage, offset: number): void {
    this.owner.take(message, offset);
  }

  /** A command that marks how far a room's partition has been read. */
  passed(room: string, offset: number): void {
    this.owner.passed(room, offset);
  }

  collects(topic: string): boolean {
    return this.owner.collects(topic);
  }

  stored(topic: string): Promise<void> {
    return this.owner.stored(topic);
  }

  /** Whether a group of the name has jobs, as far as it can be told at once. */
  async isGroup(place: NamedGroup): Promise<boolean> {
    const asked = this.requests.ask(jobShardOf(place.owners.roomId), 'has', place);
    return withTimeout(
      kindMs,
      asked.then(Boolean).catch(() => false),
      () => false,
      { unref: true },
    );
  }

  /** A project, app, room or scope is deleted. */
  async removeOf(owner: string): Promise<void> {
    await this.owner.removeOf(owner);
  }

  readonly collect: CollectMetrics = (sink) => {
    showGroups(this.owner.groups(), this.deps.clock.now(), sink);
    showCounts(this.deps.counts, sink);
  };

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.redrives.close();
    await this.owner.close();
    await this.link.close();
  }

  private async join(request: JobMemberRequest, recipient: RejoiningRecipient): Promise<JoinedGroup> {
    const shard = jobShardOf(request.owners.roomId);
    const until = this.deps.clock.monotonic() + patienceMs;
    for (;;) {
      const { id, term } = await this.owners.until(shard);
      try {
        const joined =
          id === this.link.id
            ? await this.joinHere(request, recipient)
            : await this.remote.join(request, shard, recipient);
        if (this.owners.of(shard)?.term === term) return joined;
        // There has been another owner since the answer.
        joined.abandon();
      } catch (error) {
        if (!(error instanceof EngineUnavailable) || this.deps.clock.monotonic() > until) throw error;
        await pause(betweenTriesMs, undefined, { ref: false });
      }
    }
  }

  private async joinHere(request: JobMemberRequest, recipient: RejoiningRecipient): Promise<JoinedGroup> {
    const group = await this.groupAt(request, request.options);
    return new LocalMember(group, group.members.join(request, recipient));
  }

  /** A group that this process owns, made where there is none. */
  private async groupAt(place: JobGroupPlace, options: JobOptions): Promise<OwnedGroup> {
    const shard = await this.ownShard(jobShardOf(place.owners.roomId));
    const known = shard.find(place);
    if (known) return known;
    const { topic, name } = place;
    if (this.deps.hasPlainMembers(topic, name)) throw new OtherKindOfGroup(name);
    return shard.make(this.newRecord(place, options));
  }

  private async ownShard(number: number): Promise<OwnedShard> {
    const shard = this.owner.shard(number);
    if (shard === undefined) throw new EngineUnavailable('jobs');
    const late = (): never => {
      throw new EngineUnavailable('jobs');
    };
    await withTimeout(patienceMs, shard.ready, late, { unref: true });
    return shard;
  }

  private newRecord({ owners, room, topic, name }: JobGroupPlace, options: JobOptions): JobGroupRecord {
    const now = this.deps.clock.now();
    return {
      ...{ groupId: this.deps.random.uuid(), shard: jobShardOf(owners.roomId), room, topic, name, owners },
      ...{ options, isPermanent: false, createdAt: now, emptiedAt: now },
    };
  }

  /** Commands are taken before the others learn of the owner. */
  private async owned(shard: number, term: number | undefined): Promise<void> {
    if (term === undefined) {
      this.link.unsubscribe(shardKey(shard));
      this.processes.forget(shard);
      return;
    }
    const opened = this.owner.shard(shard);
    const isOwned = (): boolean => this.owner.shard(shard) === opened;
    if (!(await this.link.subscribeWhile(shardKey(shard), isOwned))) return;
    opened?.gather(this.deps.otherGateways());
    this.owners.learn(shard, { term, id: this.link.id });
    this.announce(shard, term);
  }

  private announce(shard: number, term: number): void {
    this.announcing.push([shard, term]);
    if (this.announcing.length > 1) return;
    setImmediate(() => {
      const shards = this.announcing;
      this.announcing = [];
      this.link.send({ kind: 'owner', to: everyProcess, from: this.link.id, shards });
    });
  }

  private ownTerm(shard: number): number | undefined {
    const known = this.owners.of(shard);
    return known?.id === this.link.id && this.owner.shard(shard) ? known.term : undefined;
  }

  private ownerChanged(shard: number): void {
    this.remote.ownerChanged(shard);
    for (const membership of this.memberships.get(shard) ?? []) void membership.rejoin();
    const owner = this.owners.of(shard);
    if (owner === undefined || owner.id === this.link.id) return;
    // Behind the joins of its members.
    const { term } = owner;
    setImmediate(() => this.link.send({ kind: 'here', to: shardKey(shard), from: this.link.id, term }));
  }

  private hear(news: JobNews): void {
    if (news.kind === 'owner')
      for (const [shard, term] of news.shards) this.owners.learn(shard, { term, id: news.from });
    else if (news.kind === 'who') this.announceAll(news.from);
    else if (news.kind === 'answer') this.requests.take(news);
    else if ('shard' in news) this.remote.take(news);
    else this.obey(news);
  }

  private announceAll(asker: string): void {
    if (asker === this.link.id) return;
    for (const shard of this.owner.owned) {
      const term = this.ownTerm(shard);
      if (term !== undefined) this.announce(shard, term);
    }
  }

  /** What members on other processes send to the owner. */
  private obey(news: JobCommand): void {
    const shard = shardOfKey(news.to);
    const owned = this.owner.shard(shard);
    if (owned === undefined || this.ownTerm(shard) !== news.term) return;
    const isCurrent = (): boolean => this.ownTerm(shard) === news.term;
    if (news.kind === 'join') void this.processes.join(news, shard, isCurrent);
    else if (news.kind === 'here') owned.gathering.heard(news.from);
    else if (news.kind === 'request') void this.requests.answer(news, shard);
    else if (news.kind === 'settle')
      for (const seq of news.seqs) owned.get(news.groupId)?.members.settle(seq);
    else this.processes.obey(news, shard);
  }
}
