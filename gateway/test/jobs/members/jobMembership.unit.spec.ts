import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import { liveMessage } from '@roomwire/testing/builders/liveMessage';
import { groupOf } from '@roomwire/testing/contracts/job-store/storedJobs';
import { eventually } from '@roomwire/testing/run/eventually';
import { HeldJobs } from '../../../src/jobs/members/heldJobs.js';
import {
  JobMembership,
  type JobMemberRequest,
  type JoinedGroup,
} from '../../../src/jobs/members/jobMembership.js';
import { OtherKindOfGroup } from '../../../src/jobs/owner/otherKindOfGroup.js';

const { owners, room, topic, name, options } = groupOf('g');

/** The group at one of its owners, and what it was told. */
class Owner implements JoinedGroup {
  readonly told: string[] = [];
  readonly storedUntil = 0;
  /** What becomes of the next changes; then they are in force. */
  readonly outcomes: (() => void)[] = [];

  async ask(): Promise<void> {
    this.told.push('ask');
    this.outcomes.shift()?.();
  }

  ready(): void {
    this.told.push('ready');
  }

  leave(): void {
    this.told.push('leave');
  }

  abandon(): void {
    this.told.push('abandon');
  }

  settle(seq: number): void {
    this.told.push(`settle ${seq}`);
  }

  giveBack(seq: number, delayMs: number): void {
    this.told.push(`giveBack ${seq} for ${delayMs}`);
  }

  progress(): void {}
}

const unanswered = (): never => {
  throw new EngineUnavailable('jobs');
};

describe('a membership whose group has another owner', () => {
  let requests: JobMemberRequest[];
  let hasRoom: boolean;
  /** The ids of messages. */
  let delivered: string[];
  let now: number;

  /** Each join is at the next of the owners. */
  const memberAt = (...joins: readonly (() => JoinedGroup)[]): JobMembership => {
    [requests, hasRoom, delivered, now] = [[], true, [], 0];
    const member: JobMembership = new JobMembership(
      {
        ...{ owners, room, topic, name, options, actorTokenId: 'ann', held: new HeldJobs() },
        wishes: { filters: undefined, own: undefined },
        entered: () => undefined,
        deliver: ({ id }) => void delivered.push(id),
        hasRoom: () => hasRoom,
        ended: () => member.leave(),
      },
      {
        join: async (request) => {
          requests.push(request);
          return (joins[requests.length - 1] ?? unanswered)();
        },
        left: () => undefined,
        now: () => now,
      },
    );
    return member;
  };

  it('[WS-JOB-2] is in force at the next one where the owner changes again before it has answered', async () => {
    const [first, second, third] = [new Owner(), new Owner(), new Owner()];
    const member = memberAt(
      () => first,
      () => second,
      () => third,
    );
    await member.join();
    member.release();
    second.outcomes.push(() => {
      void member.rejoin();
      unanswered();
    });
    await member.rejoin();
    expect(first.told).to.eql(['ready', 'abandon']);
    expect(second.told).to.eql(['ask', 'abandon']);
    expect(third.told).to.eql(['ask', 'ready']);
  });

  it('[WS-JOB-2] asks on where the answer of the owner does not come, and stays the same member', async () => {
    const [first, second] = [new Owner(), new Owner()];
    const member = memberAt(
      () => first,
      () => second,
    );
    await member.join();
    member.release();
    second.outcomes.push(unanswered);
    await member.rejoin();
    expect(second.told).to.eql(['ask', 'ask', 'ready']);
    expect(requests.length).to.equal(2);
  });

  it('[WS-JOB-11] has what waits for a slow reader at the next one too, and delivers it once', async () => {
    const member = memberAt(
      () => new Owner(),
      () => new Owner(),
    );
    await member.join();
    hasRoom = false;
    member.take(1, liveMessage({ id: 'first' }), 1);
    await member.rejoin();
    expect(requests.map(({ held }) => held)).to.eql([[], [1]]);
    member.take(1, liveMessage({ id: 'first' }), 2);
    member.take(2, liveMessage({ id: 'second' }), 1);
    hasRoom = true;
    await eventually(async () => delivered.includes('second'), { what: 'the jobs' });
    expect(delivered).to.eql(['first', 'second']);
  });

  it('[WS-JOB-6] tells the next one what was given back while there was none, and what is left of the delay', async () => {
    const second = new Owner();
    const member = memberAt(
      () => new Owner(),
      () => {
        member.giveBack(1, 5_000);
        now += 2_000;
        return unanswered();
      },
      () => {
        member.giveBack(2, 7_000);
        return second;
      },
    );
    await member.join();
    for (const seq of [1, 2]) member.take(seq, liveMessage({ id: `message ${seq}` }), 3);
    await member.rejoin();
    expect(requests[2]).to.deep.include({ held: [2], givenBack: [{ seq: 1, delivery: 3, delayMs: 3_000 }] });
    expect(second.told[0]).to.equal('giveBack 2 for 7000');
  });

  it('is over, with what it has acknowledged, where the group has no jobs any more', async () => {
    const member = memberAt(
      () => new Owner(),
      () => {
        member.settle(7);
        return unanswered();
      },
      () => {
        throw new OtherKindOfGroup(name);
      },
    );
    await member.join();
    await member.rejoin();
    expect(requests.map(({ settled }) => settled)).to.eql([[], [], [7]]);
  });
});
