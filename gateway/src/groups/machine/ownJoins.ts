import type { GroupRecord, GroupRecordOf } from '@roomwire/shared/wire/bus/groupRecord';
import type { LocalMember, LocalMembers, OwnCommands } from './localMembers.js';

/** The joins that this gateway has appended: which of them asks for the state, and which bootstraps the group. */
export class OwnJoins {
  private readonly gatewayId: string;
  private readonly local: LocalMembers;
  private readonly commands: OwnCommands;
  /** The last one that asks for the state or bootstraps the group. */
  private askRef = 0;
  /** The one that bootstraps the group, until it is read. */
  private bootstrapRef: number | undefined;

  constructor(gatewayId: string, local: LocalMembers, commands: OwnCommands) {
    this.gatewayId = gatewayId;
    this.local = local;
    this.commands = commands;
  }

  /** This gateway has appended a bootstrap command and not read it yet. */
  get isBootstrapping(): boolean {
    return this.bootstrapRef !== undefined;
  }

  /** The others may have answered, as far as they can. */
  get isAskRead(): boolean {
    return this.commands.hasRead(this.askRef);
  }

  /** Whether the others answer this record with the state, or it bootstraps the group. */
  asks({ kind, ref, gatewayId }: GroupRecord): boolean {
    return (
      kind === 'join' && gatewayId === this.gatewayId && (ref === this.askRef || ref === this.bootstrapRef)
    );
  }

  bootstraps({ ref, gatewayId }: GroupRecord): boolean {
    return gatewayId === this.gatewayId && ref === this.bootstrapRef;
  }

  /** Members join whose gateway has the state, or has asked for it; or what they ask for has changed. */
  add(members: readonly LocalMember[]): void {
    this.append(members, 'nothing');
  }

  ask(members: readonly LocalMember[]): void {
    this.askRef = this.append(members, 'state');
  }

  bootstrap(members: readonly LocalMember[]): void {
    this.bootstrapRef = this.append(members, 'founds');
  }

  /** A command of this gateway has been read. */
  read(ref: number): void {
    if (ref === this.bootstrapRef) this.bootstrapRef = undefined;
  }

  private append(members: readonly LocalMember[], needs: GroupRecordOf<'join'>['needs']): number {
    return this.commands.add({ kind: 'join', members: this.local.announce(members), needs });
  }
}
