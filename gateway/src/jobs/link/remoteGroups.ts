import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import { withTimeout } from '@roomwire/shared/runtime/waiting';
import { shardKey, type JobNews, type JobNewsOf } from '@roomwire/shared/wire/bus/jobNews';
import type { JobMemberRequest, JoinedGroup } from '../members/jobMembership.js';
import { RemoteMember, type SendToOwner } from '../members/remoteMember.js';
import { OtherKindOfGroup } from '../owner/otherKindOfGroup.js';
import { unpackedMessage } from '../owner/storedMessage.js';
import type { JobRecipient } from '../queue/job.js';
import type { JobLink } from './jobLink.js';
import type { ShardOwners } from './shardOwners.js';

export interface RemoteGroupsDeps {
  readonly link: Pick<JobLink, 'id' | 'send'>;
  readonly owners: Pick<ShardOwners, 'of'>;
  readonly now: () => number;
}

interface Waiting<T> {
  readonly shard: number;
  resolve(value: T): void;
  reject(error: unknown): void;
}

interface Member {
  readonly shard: number;
  readonly recipient: RejoiningRecipient;
  /** What it had said before is stored; monotonic milliseconds. */
  storedUntil: number;
}

/** A recipient whose owner may lose it. */
export interface RejoiningRecipient extends JobRecipient {
  rejoin(): Promise<void>;
}

const answerMs = 10_000;
/** News that are longer on their way are not counted upon. */
const onTheWayMs = 15_000;

/** The members of this process in groups that other processes own. */
export class RemoteGroups {
  private readonly deps: RemoteGroupsDeps;
  private readonly members = new Map<number, Member>();
  private readonly joining = new Map<number, Waiting<JobNewsOf<'joined'>>>();
  private readonly asking = new Map<number, Waiting<void>>();
  private numbers = 0;
  private refs = 0;

  constructor(deps: RemoteGroupsDeps) {
    this.deps = deps;
  }

  /** Rejects where the owner does not answer, or is another one meanwhile. */
  async join(request: JobMemberRequest, shard: number, recipient: RejoiningRecipient): Promise<JoinedGroup> {
    const number = ++this.numbers;
    const send = this.sendingTo(shard);
    const { owners, room, topic, name, actorTokenId, wishes, options } = request;
    const { held, settled, givenBack } = request;
    const member: Member = { shard, recipient, storedUntil: 0 };
    this.members.set(number, member);
    try {
      const answered = this.waitFor(this.joining, number, shard);
      send({
        ...{ kind: 'join', member: number, ...owners, room, topic, group: name },
        ...{ actorTokenId, ...wishes, options, held, settled, givenBack },
      });
      const { groupId } = await answered;
      if (groupId === undefined) throw new OtherKindOfGroup(name);
      return new RemoteMember({
        ...{ number, groupId, send, storedUntil: () => member.storedUntil },
        answered: () => {
          const ref = ++this.refs;
          return { ref, promise: this.waitFor(this.asking, ref, shard) };
        },
        left: () => void this.members.delete(number),
      });
    } catch (error) {
      this.members.delete(number);
      // The owner may be slow: nobody is to have jobs for a member that is not here.
      send({ kind: 'leave', member: number });
      throw error;
    }
  }

  take(news: JobNews): void {
    switch (news.kind) {
      case 'joined':
        return this.joining.get(news.member)?.resolve(news);
      case 'asked':
        return this.asking.get(news.ref)?.resolve();
      case 'jobs':
        return this.deliver(news);
      case 'ended':
        return this.members.get(news.member)?.recipient.ended();
      case 'dropped':
        for (const number of news.members) void this.members.get(number)?.recipient.rejoin();
        return;
      default:
        return;
    }
  }

  /** The shard has another owner: what was asked of the former one is not answered. */
  ownerChanged(shard: number): void {
    for (const waiting of [...this.joining.values(), ...this.asking.values()])
      if (waiting.shard === shard) waiting.reject(new EngineUnavailable('jobs'));
  }

  private deliver({ shard, term, member: number, jobs, storedMs = 0 }: JobNewsOf<'jobs'>): void {
    // A former owner that was paused has its jobs handed out by the next one.
    if (this.deps.owners.of(shard)?.term !== term) return;
    const member = this.members.get(number);
    if (member === undefined) return;
    member.storedUntil = this.deps.now() - storedMs - onTheWayMs;
    for (const [seq, delivery, message] of jobs)
      member.recipient.take(seq, unpackedMessage(message), delivery);
  }

  private sendingTo(shard: number): SendToOwner {
    const { link, owners } = this.deps;
    const term = owners.of(shard)?.term ?? 0;
    return (command) => link.send({ ...command, to: shardKey(shard), from: link.id, term });
  }

  private async waitFor<T>(waiting: Map<number, Waiting<T>>, key: number, shard: number): Promise<T> {
    const answered = new Promise<T>((resolve, reject) => waiting.set(key, { shard, resolve, reject }));
    const late = (): never => {
      throw new EngineUnavailable('jobs');
    };
    try {
      return await withTimeout(answerMs, answered, late, { unref: true });
    } finally {
      waiting.delete(key);
    }
  }
}
