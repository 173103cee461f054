import type { MemberKey } from '@roomwire/shared/wire/bus/groupRecord';
import type { Member } from './groupMembers.js';
import type { GroupState, Held } from './groupState.js';

export type Assignment = readonly [id: string, gatewayId: string, number: number];

/** Says who gets what is nobody's. What it has said, and not read yet, holds only when it has been read. */
export class Sequencer {
  private readonly proposed = new Map<string, MemberKey>();

  /** The state that the proposals were about is no more. */
  clear(): void {
    this.proposed.clear();
  }

  /** To be said to all. */
  propose(state: GroupState): readonly Assignment[] {
    const assignments: Assignment[] = [];
    for (const [id, member] of chosen(state)) {
      state.propose(id, member);
      this.proposed.set(id, [member.gatewayId, member.number]);
      assignments.push([id, member.gatewayId, member.number]);
    }
    return assignments;
  }

  /** Nobody else has a part in the group: it holds at once. */
  decide(state: GroupState, given: (held: Held) => void): void {
    for (const [id, { gatewayId, number }] of chosen(state)) {
      const held = state.assign(id, [gatewayId, number]);
      if (held) given(held);
    }
  }

  /** A proposal has been read, and has become an assignment or nothing. */
  cameBack(id: string, state: GroupState): void {
    const key = this.proposed.get(id);
    if (key === undefined) return;
    this.proposed.delete(id);
    state.withdrawProposal(id, key);
  }
}

/** One after the other, since each choice hangs on the ones before. */
const chosen = function* (state: GroupState): Generator<readonly [id: string, member: Member]> {
  for (const id of state.loose) {
    const member = state.choose((state.held.get(id) as Held).message);
    if (member === undefined) state.setAside(id);
    else yield [id, member];
  }
};
