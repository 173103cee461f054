import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { closes, type CloseSpec } from '@roomwire/shared/wire/protocol/protocolErrors';
import { FairBudget, type Account } from './fairBudget.js';

/** A connection, which is closed where another project needs its memory. */
export interface Subscribing {
  readonly identity: { readonly projectId: string; readonly actorTokenId: string };
  close(why: CloseSpec): void;
}

export interface SubscriptionMemoryDeps {
  /** Of the process. */
  readonly bytes: number;
  readonly bytesPerConnection: number;
  readonly limits: Pick<LimitReports, 'reached'>;
}

export type SubscriptionAccount = Account<Subscribing>;

/**
 * [WS-MEM-3] The memory of all subscriptions with their filters. They cannot be evicted: what does not fit is refused, and a project
 * that others need room from loses its largest connections.
 */
export class SubscriptionMemory {
  private readonly deps: SubscriptionMemoryDeps;
  private readonly budget: FairBudget<Subscribing>;

  constructor(deps: SubscriptionMemoryDeps) {
    this.deps = deps;
    this.budget = new FairBudget(deps.bytes);
  }

  get bytes(): number {
    return this.budget.used;
  }

  open(client: Subscribing): SubscriptionAccount {
    return this.budget.open(client.identity.projectId, client);
  }

  /** Takes so much more, if it may; less is always given back. */
  change(account: SubscriptionAccount, byBytes: number): boolean {
    if (byBytes > 0 && !this.admits(account, byBytes)) return false;
    account.resize(account.bytes + byBytes);
    this.makeRoom();
    return true;
  }

  private admits({ bytes, projectId, member }: SubscriptionAccount, more: number): boolean {
    if (bytes + more > this.deps.bytesPerConnection) return false;
    if (this.budget.admits(projectId, more)) return true;
    const { actorTokenId } = member.identity;
    this.deps.limits.reached('subscriptionBytes', { projectId, actorTokenId });
    return false;
  }

  private makeRoom(): void {
    while (this.budget.isExceeded) {
      const largest = this.budget.largest as SubscriptionAccount;
      const { projectId, member } = largest;
      const { actorTokenId } = member.identity;
      this.deps.limits.reached('subscriptionBytes', { projectId, actorTokenId, closed: true });
      member.close(closes.memoryLimitExceeded);
      // One that is still being restored ends a moment later.
      largest.close();
    }
  }
}
