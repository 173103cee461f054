import type { Project } from '@roomwire/shared/domain/projects/project';
import type { CommandHandler } from '../handling/commandHandler.js';
import { pathValue, type SessionCaller } from '../http/route.js';
import { organizationOf } from '../organizations/access.js';
import { existing, projectTarget } from './decider.js';

/** The project that the path names, in the organization that the path names. */
export const projectOf = async (
  commands: CommandHandler,
  request: { readonly caller: SessionCaller; readonly path: Readonly<Record<string, string>> },
): Promise<Project> => {
  const { organizationId } = await organizationOf(commands, request);
  const projectId = pathValue(request, 'projectId');
  return commands.inspect(projectTarget(projectId), (state) =>
    existing(state, { organizationId, projectId }),
  );
};
