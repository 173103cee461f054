import type { Plan } from '@roomwire/shared/domain/organization';

/** The current plan of an organization; updated in place, so that holders see changes. */
export interface CurrentPlan {
  plan: Plan;
}

/** The plans of the organizations that have been connected here. */
export class Plans {
  private readonly plans = new Map<string, CurrentPlan>();

  of(organizationId: string): CurrentPlan | undefined {
    return this.plans.get(organizationId);
  }

  /** A plan that was read from the read models. */
  read(organizationId: string, plan: Plan): void {
    const current = this.plans.get(organizationId);
    if (current) current.plan = plan;
    else this.plans.set(organizationId, { plan });
  }

  /** Ignored for an organization that was never connected here. */
  changed(organizationId: string, plan: Plan): void {
    const current = this.plans.get(organizationId);
    if (current) current.plan = plan;
  }
}
