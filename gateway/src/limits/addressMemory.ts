import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { FairBudget, type Account } from './fairBudget.js';

/** A session that remembers what its actor may do at the addresses that it uses. */
export interface Remembering {
  readonly identity: { readonly projectId: string };
  /** They are resolved again when they are used. Resizes the account. */
  forgetAddresses(): void;
}

export interface AddressMemoryDeps {
  readonly bytes: number;
  readonly limits: Pick<LimitReports, 'reached'>;
}

/** Measured on the heap, in bytes. */
const bytesPerAddress = 900;

/** The addresses that all sessions remember. Beyond the budget the largest of the project that holds the most forgets its own. */
export class AddressMemory {
  private readonly deps: AddressMemoryDeps;
  private readonly budget: FairBudget<Remembering>;

  constructor(deps: AddressMemoryDeps) {
    this.deps = deps;
    this.budget = new FairBudget(deps.bytes);
  }

  get bytes(): number {
    return this.budget.used;
  }

  open(session: Remembering): Account<Remembering> {
    return this.budget.open(session.identity.projectId, session);
  }

  /** A session used more addresses than it may remember, and begins anew. */
  beganAnew({ identity: { projectId } }: Remembering): void {
    this.deps.limits.reached('knownAddresses', { projectId });
  }

  remembers(account: Account<Remembering>, addresses: number): void {
    account.resize(addresses * bytesPerAddress);
    while (this.budget.isExceeded) {
      const { projectId, member } = this.budget.largest as Account<Remembering>;
      this.deps.limits.reached('addressMemory', { projectId });
      member.forgetAddresses();
    }
  }
}
