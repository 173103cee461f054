/** Ticks after which a gateway with members but without an announcement is dead. Announcements use another channel, which may lag. */
const absencePatience = 5;

/** The other gateways that participate in a group, as the presence board knows them. */
export class OtherGateways {
  private participants: readonly string[] = [];
  /** Participants that may have had the state when this gateway joined or lost its own. */
  private holders: ReadonlySet<string> = new Set();
  /** The log says that this gateway has the state, but the board does not show it yet. */
  private expected: string | undefined;
  private ticksAbsent: ReadonlyMap<string, number> = new Map();

  /** Whether one of them may have the state of the group. */
  get mayHaveState(): boolean {
    return this.expected !== undefined || this.holders.size > 0;
  }

  begin(participants: readonly string[]): void {
    this.participants = participants;
    this.needState();
  }

  /** This gateway does not have the state any more. `holder`: the id of one that has it. */
  needState(holder?: string): void {
    this.holders = new Set(this.participants);
    this.expected = holder === undefined || this.participates(holder) ? undefined : holder;
  }

  /** Returns the ids of the gateways that do not participate any more. */
  change(participants: readonly string[]): readonly string[] {
    const former = new Set(this.participants.map(gatewayOf));
    this.participants = participants;
    const { expected } = this;
    this.holders = new Set(
      participants.filter((name) => this.holders.has(name) || gatewayOf(name) === expected),
    );
    if (expected !== undefined && this.participates(expected)) this.expected = undefined;
    return [...former].filter((gatewayId) => !this.participates(gatewayId));
  }

  /** Once a tick, of the other gateways with members: returns those that have not participated for too long. */
  absentees(gatewayIds: readonly string[]): readonly string[] {
    const absent = gatewayIds
      .filter((gatewayId) => !this.participates(gatewayId))
      .map((gatewayId) => [gatewayId, (this.ticksAbsent.get(gatewayId) ?? 0) + 1] as const);
    this.ticksAbsent = new Map(absent.filter(([, ticks]) => ticks < absencePatience));
    return absent.flatMap(([gatewayId, ticks]) => (ticks < absencePatience ? [] : [gatewayId]));
  }

  private participates(gatewayId: string): boolean {
    return this.participants.some((name) => gatewayOf(name) === gatewayId);
  }
}

/** Participants are named `<gateway id>/<number>`, since a gateway may join several times. */
const gatewayOf = (name: string): string => name.slice(0, name.lastIndexOf('/'));
