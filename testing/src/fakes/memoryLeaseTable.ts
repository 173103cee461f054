import type {
  Lease,
  LeaseReading,
  LeaseTable,
  Member,
  WorkLeases,
} from '@roomwire/shared/adapters/shard-leases/leaseTable';

/** What survives every process; the simulator puts its network before it. */
export class MemoryLeases {
  private readonly works = new Map<string, WorkLeases>();
  private readonly members = new Map<string, Member>();

  renew(member: Member): void {
    this.members.set(member.id, member);
  }

  read(works: readonly string[]): LeaseReading {
    return {
      works: new Map([...this.works].filter(([work]) => works.includes(work))),
      members: [...this.members.values()],
    };
  }

  swap(work: string, revision: number, leases: readonly Lease[]): boolean {
    if ((this.works.get(work)?.revision ?? 0) !== revision) return false;
    this.works.set(work, { revision: revision + 1, leases });
    return true;
  }

  forget(members: readonly Pick<Member, 'id' | 'beat'>[]): void {
    for (const { id, beat } of members) if (this.members.get(id)?.beat === beat) this.members.delete(id);
  }
}

/** One process' way to them. `around` is what is between, which may fail. */
export const leaseTableOn = (
  leases: MemoryLeases,
  around: <T>(act: () => T) => Promise<T> = async (act) => act(),
): LeaseTable => ({
  renew: (member) => around(() => leases.renew(member)),
  read: (works) => around(() => leases.read(works)),
  swap: (work, revision, changed) => around(() => leases.swap(work, revision, changed)),
  forget: (members) => around(() => leases.forget(members)),
  close: async () => undefined,
});
