import type { Organization } from '@roomwire/shared/domain/organizations/organization';
import type { CommandHandler } from '../handling/commandHandler.js';
import { Rejection } from '../handling/rejections.js';
import { pathValue, type SessionCaller } from '../http/route.js';
import { existing, organizationTarget } from './decider.js';

export const requireOperator = (caller: SessionCaller): void => {
  if (!caller.isOperator) throw new Rejection('operator_required', {});
};

/**
 * The organization that the path names. To a session without it, it does not exist.
 * Read from its stream, so that what hangs on it is never made for one that is not there.
 */
export const organizationOf = async (
  commands: CommandHandler,
  request: { readonly caller: SessionCaller; readonly path: Readonly<Record<string, string>> },
): Promise<Organization> => {
  const organizationId = pathValue(request, 'orgId');
  const { caller } = request;
  if (!caller.isOperator && !caller.organizationIds.includes(organizationId))
    throw new Rejection('organization_not_found', { organizationId });
  return commands.inspect(organizationTarget(organizationId), (state) => existing(state, organizationId));
};
