import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { FairBudget, type Account } from '../limits/fairBudget.js';
import type { GroupKey } from './membership.js';

/** A group that can drop its oldest messages, on all gateways. */
export interface DroppingGroup {
  readonly key: GroupKey;
  /** Until so many bytes are free, or no message is left. Resizes the account, and returns the number of messages. */
  drop(bytes: number): number;
}

export interface GroupMemoryDeps {
  readonly bytes: number;
  readonly limits: Pick<LimitReports, 'reached'>;
  readonly metrics: { groupMessagesDropped: number };
}

/** A part of the budget that is freed at once, so that a flood does not cost a command for each message. */
const freedAtOnce = 1 / 64;

/**
 * [WS-GROUP-11] The open messages of all worker groups of this gateway. Beyond the budget the largest group of the project that
 * holds the most drops its oldest messages.
 */
export class GroupMemory {
  private readonly deps: GroupMemoryDeps;
  private readonly budget: FairBudget<DroppingGroup>;

  constructor(deps: GroupMemoryDeps) {
    this.deps = deps;
    this.budget = new FairBudget(deps.bytes);
  }

  get bytes(): number {
    return this.budget.used;
  }

  open(group: DroppingGroup): Account<DroppingGroup> {
    const { topic } = group.key;
    return this.budget.open(topic.slice(0, topic.indexOf('/')), group);
  }

  makeRoom(): void {
    const { deps, budget } = this;
    while (budget.isExceeded) {
      const { projectId, member } = budget.largest as Account<DroppingGroup>;
      const excess = budget.used - budget.bytes;
      const dropped = member.drop(Math.max(excess, Math.ceil(budget.bytes * freedAtOnce)));
      if (dropped === 0) return;
      deps.metrics.groupMessagesDropped += dropped;
      const { topic, group } = member.key;
      deps.limits.reached('groupMemory', { projectId, topic, group });
    }
  }
}
