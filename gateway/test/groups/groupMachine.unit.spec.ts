import { expect } from 'chai';
import { isGroupRecord, type RoomRecord } from '@roomwire/shared/wire/bus/roomRecord';
import { GroupMachine } from '../../src/groups/machine/groupMachine.js';
import type { LocalMember } from '../../src/groups/machine/localMembers.js';
import { messageOf, room, topic } from '../support/groupNode.js';

interface TestMember extends LocalMember {
  readonly got: string[];
  hasEntered: boolean;
}

/** A log that machines append to, and read when the test says so. */
class Log {
  readonly records: RoomRecord[] = [];

  get kinds(): readonly string[] {
    return this.records.map((record) => (isGroupRecord(record) ? record.kind : record.id));
  }

  publish(...ids: readonly string[]): void {
    for (const id of ids) this.records.push(messageOf(id));
  }

  publishAs(publisher: string, id: string): void {
    this.records.push(messageOf(id, { publisher }));
  }
}

class TestGateway {
  readonly machine: GroupMachine;
  isIdle = false;
  private readonly log: Log;
  private position = 0;

  constructor(gatewayId: string, log: Log, others: readonly string[] = []) {
    this.log = log;
    const bounds = { messages: 100, bytes: 100_000 };
    this.machine = new GroupMachine(
      { gatewayId, bounds, lastNumber: 0, mayHaveBacklog: false },
      {
        append: (command, ref) =>
          void log.records.push({ ...command, room, topic, group: 'g', gatewayId, ref }),
        replayBacklog: () => undefined,
        emptied: () => undefined,
        collectsNoMore: () => undefined,
        dropped: () => undefined,
        idle: () => void (this.isIdle = true),
      },
    );
    this.machine.announced(others);
    this.position = log.records.length;
  }

  join(acks = true, actorTokenId = 'ann'): TestMember {
    const member: TestMember = {
      ...{ number: 0, actorTokenId, filters: undefined, acks, isPersistent: false },
      ...{ got: [], hasEntered: false },
      entered: () => void (member.hasEntered = true),
      deliver: ({ id }) => member.got.push(id) > 0,
    };
    this.machine.join(member);
    return member;
  }

  /** Reads the log up to its end, including records that are appended meanwhile. */
  read(): void {
    for (; this.position < this.log.records.length; this.position++) {
      const record = this.log.records[this.position] as RoomRecord;
      if (isGroupRecord(record)) this.machine.command(record, 0);
      else this.machine.message(record);
    }
  }
}

describe('the state machine of a worker group', () => {
  let log: Log;
  let first: TestGateway;
  let ann: TestMember;

  const readAll = (...gateways: readonly TestGateway[]): void => {
    for (let before = -1; before < log.records.length;) {
      before = log.records.length;
      for (const gateway of gateways) gateway.read();
    }
  };

  beforeEach(() => {
    log = new Log();
    first = new TestGateway('a', log);
    ann = first.join();
  });

  /** Another gateway with a member, which has the state. */
  const second = (actorTokenId?: string): readonly [TestGateway, TestMember] => {
    const gateway = new TestGateway('b', log, ['a/1']);
    first.machine.participantsChanged(['b/1']);
    const member = gateway.join(true, actorTokenId);
    readAll(first, gateway);
    expect(member.hasEntered).to.equal(true);
    return [gateway, member];
  };

  it('bootstraps a group of which no other gateway has the state, when it reads its own join', () => {
    expect(first.machine.phaseName).to.equal('joining');
    expect(ann.hasEntered).to.equal(false);
    first.read();
    expect(first.machine.phaseName).to.equal('active');
    expect(ann.hasEntered).to.equal(true);
    expect(first.machine.isLeader).to.equal(true);
  });

  it('assigns and acknowledges without commands on the sole gateway', () => {
    first.read();
    log.publish('m1', 'm2');
    first.read();
    expect(ann.got).to.deep.equal(['m1', 'm2']);
    first.machine.acknowledge(['m1']);
    expect([...(first.machine.state?.open.keys() ?? [])]).to.deep.equal(['m2']);
    expect(log.kinds).to.deep.equal(['join', 'm1', 'm2']);
  });

  it('continues from a snapshot with the records since, and is then the same on both gateways', () => {
    first.read();
    log.publish('m1');
    first.read();
    const [other, ben] = second();
    log.publish('m2', 'm3');
    readAll(first, other);
    expect([...ann.got, ...ben.got].sort()).to.deep.equal(['m1', 'm2', 'm3']);
    expect(other.machine.isLeader).to.equal(false);
    expect(other.machine.state?.snapshot).to.deep.equal(first.machine.state?.snapshot);
  });

  it('[WS-GROUP-4] takes over the messages of the members of a dead leader', () => {
    first.read();
    log.publish('m1');
    first.read();
    const [other, ben] = second();
    other.machine.participantsChanged([]);
    other.read();
    expect(log.kinds.at(-1)).to.equal('gone');
    expect(other.machine.isLeader).to.equal(true);
    expect(ben.got).to.deep.equal(['m1']);
  });

  it('[WS-GROUP-4] notices the death of a gateway that is no participant after five ticks', () => {
    first.read();
    const [other] = second();
    first.machine.participantsChanged([]);
    first.machine.participantsChanged(['c/1']);
    const gone = () => log.kinds.filter((kind) => kind === 'gone').length;
    const before = gone();
    for (let ticks = 0; ticks < 5; ticks++) first.machine.tick();
    expect(gone()).to.equal(before + 1);
    expect(other.machine.phaseName).to.equal('active');
  });

  it('joins again, with a new number, when it reads that it was declared dead', () => {
    first.read();
    const [other] = second();
    other.machine.participantsChanged([]);
    other.read();
    first.read();
    expect(first.machine.phaseName).to.equal('catchingUp');
    expect(ann.number).to.equal(2);
    readAll(first, other);
    expect(first.machine.phaseName).to.equal('active');
    expect(other.machine.isLeader).to.equal(true);
  });

  it('hands its open messages over to a gateway that has bootstrapped the group without it', () => {
    first.read();
    log.publish('m1');
    first.read();
    const other = new TestGateway('b', log);
    first.machine.participantsChanged(['b/1']);
    const ben = other.join();
    readAll(first, other);
    expect(log.kinds).to.include('messages');
    expect(other.machine.isLeader).to.equal(true);
    expect(other.machine.state?.open.has('m1')).to.equal(true);
    expect(ben.hasEntered).to.equal(true);
  });

  it('asks another gateway that has bootstrapped the group, even if it is not known as a participant', () => {
    first.read();
    const other = new TestGateway('b', log);
    other.join();
    readAll(first, other);
    for (const { machine } of [first, other]) machine.participantsChanged([]);
    readAll(first, other);
    expect(log.kinds).to.deep.equal(['join', 'join', 'leave', 'join', 'state']);
    expect(other.machine.isLeader).to.equal(true);
    expect(first.machine.phaseName).to.equal('active');
  });

  it('[WS-GROUP-4] gets what only its members are eligible for and another bootstrap of the group has ignored', () => {
    first.read();
    const other = new TestGateway('b', log);
    first.machine.participantsChanged(['b/1']);
    const ben = other.join(true, 'ben');
    other.read();
    log.publishAs('ben', 'm1');
    log.publishAs('nobody', 'm2');
    other.read();
    readAll(first, other);
    expect(ann.got).to.deep.equal(['m1']);
    expect(ben.got).to.deep.equal(['m2']);
  });

  it('[WS-GROUP-4] gets what only its members are eligible for and was published while it counted as dead', () => {
    first.read();
    const [other, ben] = second('ben');
    other.machine.participantsChanged([]);
    other.read();
    log.publishAs('ben', 'm1');
    log.publishAs('nobody', 'm2');
    other.read();
    first.machine.paused();
    readAll(first, other);
    expect(ann.got).to.deep.equal(['m1']);
    expect(ben.got).to.deep.equal(['m2']);
  });

  it('[WS-GROUP-4] removes a member that a change from before its death has brought back', () => {
    first.read();
    const [other, ben] = second();
    other.machine.participantsChanged([]);
    first.machine.update(ann);
    readAll(first, other);
    log.publish('m1', 'm2');
    readAll(first, other);
    expect([...ann.got, ...ben.got].sort()).to.deep.equal(['m1', 'm2']);
    expect(other.machine.state?.members.size).to.equal(2);
  });

  it('[WS-GROUP-4] gets it once when two gateways come back that have missed it', () => {
    first.read();
    const [other, cem] = second('cem');
    const third = new TestGateway('c', log);
    first.machine.participantsChanged(['b/1', 'c/1']);
    other.machine.participantsChanged(['a/1', 'c/1']);
    third.join(true, 'ben');
    third.read();
    log.publishAs('ben', 'm1');
    readAll(first, third);
    first.machine.acknowledge(ann.got);
    readAll(first, third);
    readAll(first, third, other);
    expect([...ann.got, ...cem.got]).to.deep.equal(['m1']);
  });

  it('asks again when it has been sent a snapshot from before its members joined anew', () => {
    first.read();
    const dead = new TestGateway('dead', log, ['a/1']);
    first.machine.participantsChanged(['dead/1']);
    dead.join();
    readAll(first, dead);
    first.join();
    readAll(first, dead);

    const late = new TestGateway('b', log, ['a/1', 'dead/1']);
    first.machine.participantsChanged(['b/1', 'dead/1']);
    late.machine.leave(late.join(), true);
    first.machine.leave(ann, true);
    const member = late.join();
    // Sends the snapshot for the first join of `b` behind the second one, and is no longer the leader there.
    readAll(first, late);
    first.machine.participantsChanged(['b/1']);
    readAll(first, late);
    expect(member.hasEntered).to.equal(true);
    expect(late.machine.phaseName).to.equal('active');
  });

  it('gets a snapshot from the next leader when the one that should send it asks for one itself', () => {
    first.read();
    const other = { room, topic, group: 'g', gatewayId: 'b', kind: 'join' } as const;
    const members = [{ number: 1, actorTokenId: 'ben', acks: true, isPersistent: false }];
    log.records.push({ ...other, ref: 1, members, needs: 'nothing' });
    first.join();
    first.machine.leave(ann, true);
    readAll(first);
    const late = new TestGateway('c', log, ['a/1', 'b/1']);
    late.join();
    readAll(first, late);
    expect(late.machine.phaseName).to.equal('catchingUp');
    log.records.push({ ...other, ref: 2, members, needs: 'state' });
    readAll(first, late);
    expect(late.machine.phaseName).to.equal('active');
  });

  it('asks for the state when a member joins while it is declared dead, and the others have left', () => {
    first.read();
    const [other, ben] = second();
    other.machine.participantsChanged([]);
    first.join();
    first.machine.leave(ann, true);
    readAll(first, other);
    expect(first.machine.phaseName).to.equal('active');
    expect(other.machine.state?.members.size).to.equal(2);
    log.publish('m1');
    readAll(first, other);
    expect(ben.got).to.deep.equal(['m1']);
  });

  it('bootstraps the group as the last of several although a snapshot arrives before it', () => {
    const late = new TestGateway('b', log, ['a/1']);
    late.join();
    late.read();
    first.read();
    const third = new TestGateway('c', log);
    third.join();
    for (let ticks = 0; ticks <= 20; ticks++) late.machine.tick();
    first.machine.participantsChanged(['b/1', 'c/1']);
    third.machine.participantsChanged(['a/1', 'b/1']);
    readAll(late, first, third);
    expect([late, first, third].map(({ machine }) => machine.phaseName)).to.deep.equal([
      ...['active', 'active', 'active'],
    ]);
    expect(late.machine.isLeader).to.equal(true);
  });

  it('bootstraps when no snapshot has arrived for more than 20 ticks', () => {
    const waiting = new TestGateway('b', log, ['a/1']);
    waiting.join();
    waiting.read();
    for (let ticks = 0; ticks < 20; ticks++) waiting.machine.tick();
    expect(waiting.machine.phaseName).to.equal('catchingUp');
    waiting.machine.tick();
    waiting.read();
    expect(waiting.machine.phaseName).to.equal('active');
  });

  it('delivers nothing after a pause until it has read a command of its own', () => {
    first.read();
    first.machine.paused();
    const appended = messageOf('m1');
    first.machine.message(appended);
    expect(ann.got).to.deep.equal([]);
    expect(log.kinds.at(-1)).to.equal('check');
    first.read();
    expect(ann.got).to.deep.equal(['m1']);
  });

  it('[WS-GROUP-4] delivers no assignment from before a pause in which the others removed its members', () => {
    first.read();
    const [other, ben] = second();
    log.publish('m1', 'm2');
    first.read();
    // Its own record before the check: it was appended when the others still knew its members.
    other.machine.acknowledge(['m0']);
    first.machine.participantsChanged([]);
    first.read();
    expect([...ann.got].sort()).to.deep.equal(['m1', 'm2']);
    other.machine.paused();
    other.read();
    expect(ben.got).to.deep.equal([]);
    readAll(first, other);
    log.publish('m3', 'm4');
    readAll(first, other);
    expect([...ann.got, ...ben.got].sort()).to.deep.equal(['m1', 'm2', 'm3', 'm4']);
    expect(ben.got).to.have.length.above(0);
  });

  it('delivers what a member was assigned before it was ready', () => {
    let isReady = false;
    const late: TestMember = { ...ann, actorTokenId: 'late', got: [], deliver: () => false };
    late.deliver = ({ id }) => isReady && late.got.push(id) > 0;
    first.machine.leave(ann, true);
    first.machine.join(late);
    first.read();
    log.publish('m1');
    first.read();
    isReady = true;
    first.machine.ready(late);
    expect(late.got).to.deep.equal(['m1']);
  });

  it('is idle when its last member has left, and all its commands are read', () => {
    first.read();
    first.machine.leave(ann, true);
    expect(first.isIdle).to.equal(false);
    first.read();
    expect(first.isIdle).to.equal(true);
    expect(first.machine.phaseName).to.equal('idle');
  });
});
