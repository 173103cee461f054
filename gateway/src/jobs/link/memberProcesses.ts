import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { processKey, type JobNewsOf } from '@roomwire/shared/wire/bus/jobNews';
import { OtherKindOfGroup } from '../owner/otherKindOfGroup.js';
import type { JoiningMember } from '../owner/groupMembers.js';
import type { OwnedGroup } from '../owner/ownedGroup.js';
import { packedMessage } from '../owner/storedMessage.js';
import type { JobMember, JobRecipient } from '../queue/job.js';
import type { JobGroupPlace } from '../members/jobMembership.js';
import type { JobLink } from './jobLink.js';

export interface MemberProcessesDeps {
  readonly link: Pick<JobLink, 'send'>;
  readonly now: () => number;
  /** Processes that are known to live. */
  readonly others: () => readonly string[];
  /** The group, made where there is none. */
  readonly groupAt: (place: JobGroupPlace, joining: JoiningMember) => Promise<OwnedGroup>;
}

interface JoinedMember {
  readonly group: OwnedGroup;
  readonly member: JobMember;
  readonly shard: number;
}

interface MemberProcess {
  readonly members: Map<number, JoinedMember>;
  readonly since: number;
  /** Whether it has been among the living. */
  isKnown: boolean;
}

type Join = JobNewsOf<'join'>;
type MemberCommand = JobNewsOf<'ask' | 'ready' | 'leave' | 'giveBack' | 'progress'>;

/** A process that has just started is not known for a while. */
const unknownMs = 15_000;
const jobsPerRecord = 100;
const bytesPerRecord = 256 * 1024;

/** The members on other processes of the groups that this one owns. */
export class MemberProcesses {
  private readonly deps: MemberProcessesDeps;
  private readonly processes = new Map<string, MemberProcess>();
  /** Those that join, while their groups are not here yet. */
  private readonly joining = new Set<string>();

  constructor(deps: MemberProcessesDeps) {
    this.deps = deps;
  }

  async join(news: Join, shard: number, isCurrent: () => boolean): Promise<void> {
    const { from, member: number, term } = news;
    const answer = (groupId: string | undefined) =>
      this.deps.link.send({ kind: 'joined', to: processKey(from), shard, term, member: number, groupId });
    const known = this.find(from, number);
    if (known) return answer(known.group.groupId);
    const name = nameOf(from, number);
    this.joining.add(name);
    try {
      const joining = joiningOf(news);
      const group = await this.deps.groupAt(placeOf(news), joining);
      if (!isCurrent() || !this.joining.has(name)) return;
      const member = group.members.join(joining, this.recipientOf(news, shard, group));
      this.processOf(from).members.set(number, { group, member, shard });
      answer(group.groupId);
    } catch (error) {
      // Otherwise the member tries on.
      if (error instanceof OtherKindOfGroup) answer(undefined);
    } finally {
      this.joining.delete(name);
    }
  }

  private find(from: string, number: number): JoinedMember | undefined {
    return this.processes.get(from)?.members.get(number);
  }

  /** What a member sends. One that is not here has left, or joins again. */
  obey(news: MemberCommand, shard: number): void {
    if (news.kind === 'leave') return this.leave(news.from, news.member);
    const found = this.find(news.from, news.member);
    if (found === undefined) return;
    const { group, member } = found;
    switch (news.kind) {
      case 'ask': {
        const { from, ref, term, filters, own, options } = news;
        group.members.ask(member, { filters, own }, options);
        return this.deps.link.send({ kind: 'asked', to: processKey(from), shard, term, ref });
      }
      case 'ready':
        return group.members.ready(member);
      case 'giveBack':
        return group.members.giveBack(member, news.seq, news.delayMs);
      case 'progress':
        return group.members.progress(member, news.seq);
    }
  }

  private leave(from: string, number: number): void {
    this.joining.delete(nameOf(from, number));
    const found = this.find(from, number);
    if (found === undefined) return;
    this.processes.get(from)?.members.delete(number);
    found.group.members.leave(found.member);
  }

  /** This process owns the shard no more. */
  forget(shard: number): void {
    for (const { members } of this.processes.values())
      for (const [number, joined] of members) if (joined.shard === shard) members.delete(number);
  }

  /** Once a second: members of processes that have died leave. */
  check(termOf: (shard: number) => number | undefined): void {
    const alive = new Set(this.deps.others());
    for (const [id, process] of this.processes) {
      process.isKnown ||= alive.has(id);
      const isDead = process.isKnown ? !alive.has(id) : this.deps.now() - process.since > unknownMs;
      if (!isDead) continue;
      this.processes.delete(id);
      for (const [number, { group, member, shard }] of process.members) {
        group.members.leave(member);
        const term = termOf(shard);
        if (term !== undefined)
          this.deps.link.send({ kind: 'dropped', to: processKey(id), shard, term, members: [number] });
      }
    }
  }

  private processOf(id: string): MemberProcess {
    const known = this.processes.get(id);
    if (known) return known;
    const process: MemberProcess = { members: new Map(), since: this.deps.now(), isKnown: false };
    this.processes.set(id, process);
    return process;
  }

  private recipientOf({ from, member, term }: Join, shard: number, group: OwnedGroup): JobRecipient {
    const to = { to: processKey(from), shard, term, member };
    let waiting: [seq: number, delivery: number, message: Uint8Array][] = [];
    let bytes = 0;
    const flush = (): void => {
      if (waiting.length === 0) return;
      const storedMs = Math.ceil(this.deps.now() - group.storedUntil);
      this.deps.link.send({ kind: 'jobs', ...to, jobs: waiting, storedMs });
      waiting = [];
      bytes = 0;
    };
    return {
      take: (seq: number, message: LiveMessage, delivery: number) => {
        const packed = packedMessage(message);
        waiting.push([seq, delivery, packed]);
        bytes += packed.length;
        if (waiting.length === 1) setImmediate(flush);
        if (waiting.length >= jobsPerRecord || bytes >= bytesPerRecord) flush();
      },
      ended: () => this.deps.link.send({ kind: 'ended', ...to }),
    };
  }
}

const nameOf = (from: string, member: number): string => `${from} ${member}`;

const placeOf = ({ projectId, appId, roomId, accessScopeId, room, topic, group }: Join): JobGroupPlace => ({
  ...{ room, topic, name: group },
  owners: { projectId, appId, roomId, accessScopeId },
});

const joiningOf = ({
  actorTokenId,
  filters,
  own,
  options,
  held,
  settled,
  givenBack = [],
}: Join): JoiningMember => ({
  ...{ actorTokenId, options, held, settled, givenBack },
  wishes: { filters, own },
});
