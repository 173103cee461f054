import type { GroupCommand, GroupRecord, GroupRecordOf } from '@roomwire/shared/wire/bus/groupRecord';
import { GroupMachine } from '../../src/groups/machine/groupMachine.js';
import { GroupState } from '../../src/groups/machine/groupState.js';
import type { LocalMember } from '../../src/groups/machine/localMembers.js';
import { snapshotParts } from '../../src/groups/machine/snapshot.js';
import { room, topic } from './groupNode.js';

export interface TestMember extends LocalMember {
  readonly got: string[];
  filters: LocalMember['filters'];
  entries: number;
}

interface Said {
  readonly command: GroupCommand;
  readonly ref: number;
}

export const now = Date.UTC(2026, 0, 1);
const bounds = { messages: 3, bytes: 10_000 };

/** The machine of gateway `a`, where its commands are read when the test says so. */
export const machineWorld = ({ others = [] as readonly string[], mayHaveBacklog = false } = {}) => {
  const said: Said[] = [];
  const told: string[] = [];
  const machine = new GroupMachine(
    { gatewayId: 'a', bounds, lastNumber: 4, mayHaveBacklog },
    {
      append: (command, ref) => void said.push({ command, ref }),
      replayBacklog: () => void told.push('replay'),
      emptied: () => void told.push('emptied'),
      collectsNoMore: () => void told.push('collectsNoMore'),
      dropped: (messages) => void told.push(`dropped ${messages}`),
      idle: () => void told.push('idle'),
    },
  );
  machine.announced(others);
  const make = (actorTokenId: string): TestMember => {
    const member: TestMember = {
      ...{ number: 0, actorTokenId, filters: undefined, acks: true, isPersistent: false },
      ...{ got: [], entries: 0 },
      entered: () => void (member.entries += 1),
      deliver: ({ id }) => member.got.push(id) > 0,
    };
    return member;
  };
  const join = (actorTokenId: string): TestMember => {
    const member = make(actorTokenId);
    machine.join(member);
    return member;
  };
  const record = (command: GroupCommand, ref: number, gatewayId: string): GroupRecord => ({
    ...command,
    room,
    topic,
    group: 'g',
    gatewayId,
    ref,
  });
  let foreign = 0;
  /** Reads a command of another gateway. */
  const read = (gatewayId: string, command: GroupCommand): void =>
    machine.command(record(command, (foreign += 1), gatewayId), now);
  /** Reads the first of its own commands that are not read. */
  const readNext = (): void => {
    const next = said.shift();
    if (next !== undefined) machine.command(record(next.command, next.ref, 'a'), now);
  };
  /** Reads its own commands, those that it says meanwhile too. */
  const readOwn = (): void => {
    while (said.length > 0) readNext();
  };
  const kinds = (): readonly string[] =>
    said.map(({ command }) => (command.kind === 'join' ? `join ${command.needs}` : command.kind));
  return { machine, said, told, make, join, read, readNext, readOwn, kinds };
};

export const other = (number: number, actorTokenId = `other-${number}`) => ({
  ...{ number, actorTokenId, filters: undefined, acks: true, isPersistent: false, own: undefined },
});

/** Gateway `a` with a member of ann, and another one that has the state too, with the member 1. */
export const twoGateways = () => {
  const made = machineWorld();
  const ann = made.join('ann');
  made.readOwn();
  made.machine.participantsChanged(['b/1']);
  made.read('b', { kind: 'join', members: [other(1)], needs: 'state' });
  made.readOwn();
  return { ...made, ann };
};

/** The state that gateway `b` has, with the members of `a`. */
export const stateOfB = (...own: readonly number[]): GroupState => {
  const state = new GroupState(bounds);
  state.join('b', [other(1)]);
  state.join(
    'a',
    own.map((number) => other(number)),
  );
  state.catchingUp.add('a');
  return state;
};

export const partOf = (
  state: GroupState,
  to: string,
  after: [string, number],
): Omit<GroupRecordOf<'state'>, 'room' | 'topic' | 'group' | 'gatewayId' | 'ref'> => {
  const [part] = snapshotParts(state.snapshot);
  if (part === undefined) throw new RangeError('A snapshot has a part');
  return { kind: 'state', to, after, ...part };
};
