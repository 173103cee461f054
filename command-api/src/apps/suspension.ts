import type { App, AppStatus } from '@roomwire/shared/domain/apps/app';
import type { Organization } from '@roomwire/shared/domain/organizations/organization';
import type { ViewFilter } from '@roomwire/shared/ports/viewStore';

/** What of an organization shows in its apps; undefined where the read models do not have it. */
export type AppOwner = Pick<Organization, 'status'> | undefined;

/** An app of a suspended organization is suspended, whatever its own status is; that one stays, and shows again after. */
export const shownStatus = ({ status }: Pick<App, 'status'>, owner: AppOwner): AppStatus =>
  owner?.status === 'suspended' ? 'suspended' : status;

/** The filter by which the owner's apps that show a status are found; undefined asks for all. */
export const statusFilter = (status: AppStatus | undefined, owner: AppOwner): ViewFilter => {
  if (status === undefined) return {};
  if (owner?.status !== 'suspended') return { status };
  return status === 'suspended' ? {} : { status: { $in: [] } };
};
