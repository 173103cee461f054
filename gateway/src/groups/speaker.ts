import type { GroupRecord } from '@roomwire/shared/wire/bus/groupRecord';
import type { GroupState } from './groupState.js';
import { asMember, type LocalMember, type OwnMembers } from './ownMembers.js';
import type { ReplicaDeps, Utterance } from './replicaDeps.js';
import { partsOf } from './stateParts.js';

/** What a gateway says of a group, and how much of it has come back. */
export class Speaker {
  private readonly deps: Pick<ReplicaDeps, 'say' | 'hasOthers'>;
  private readonly own: OwnMembers;
  private lastSaid = 0;
  private lastRead = 0;
  private founding: number | undefined;

  constructor(deps: Pick<ReplicaDeps, 'say' | 'hasOthers'>, own: OwnMembers) {
    this.deps = deps;
    this.own = own;
  }

  get hasReadAll(): boolean {
    return this.lastRead === this.lastSaid;
  }

  /** It has said that it founds the group, and nobody has read that yet as far as it knows. */
  get isFounding(): boolean {
    return this.founding !== undefined;
  }

  say(news: Utterance): number {
    this.lastSaid = this.deps.say(news);
    return this.lastSaid;
  }

  /** Asks for the state unless those who are in stand for it, or it is known that nobody has one. */
  join(members: readonly LocalMember[], needsState = !this.own.areKnown): void {
    if (members.length === 0) return;
    const isFirst = needsState && !this.deps.hasOthers();
    this.own.announced(members);
    const needs = isFirst ? 'founds' : needsState ? 'state' : 'nothing';
    const ref = this.say({ kind: 'join', members: members.map(asMember), needs });
    if (isFirst) this.founding = ref;
  }

  found(): void {
    this.own.announced(this.own.all);
    this.founding = this.say({ kind: 'join', members: this.own.all.map(asMember), needs: 'founds' });
  }

  /** What was said of founding is out of date, or done. */
  foundingIsOver(): void {
    this.founding = undefined;
  }

  isFounder(ref: number): boolean {
    return ref === this.founding;
  }

  /** The state as it is right after a record. */
  tell(to: string, state: GroupState, { gatewayId, ref }: GroupRecord): void {
    for (const part of partsOf(state.snapshot)) {
      this.say({ kind: 'state', to, after: [gatewayId, ref], ...part });
    }
  }

  /** One of its records has come back. */
  read(ref: number): void {
    this.lastRead = Math.max(this.lastRead, ref);
  }
}
