import type { Plan } from '@roomwire/shared/domain/organization';

/** What an organization may use, as it is now: whoever holds it sees the changes. */
export interface CurrentPlan {
  plan: Plan;
}

/** The plans of the organizations that have been connected here. */
export class Plans {
  private readonly plans = new Map<string, CurrentPlan>();

  of(organizationId: string): CurrentPlan | undefined {
    return this.plans.get(organizationId);
  }

  /** What the read models say. */
  read(organizationId: string, plan: Plan): void {
    const current = this.plans.get(organizationId);
    if (current) current.plan = plan;
    else this.plans.set(organizationId, { plan });
  }

  /** Of an organization that nobody asked for there is nothing to keep. */
  changed(organizationId: string, plan: Plan): void {
    const current = this.plans.get(organizationId);
    if (current) current.plan = plan;
  }
}
