import { pageQuerySchema } from '../http/listing.js';
import {
  nameSchema,
  strictObject,
  titled,
  record,
  textSchema,
  timeSchema,
  uuidSchema,
} from '../http/schema.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import type { Project } from '@roomwire/shared/domain/projects/project';
import type { CommandHandler } from '../handling/commandHandler.js';
import { pathValue, type SessionCaller } from '../http/route.js';
import { organizationOf } from '../organizations/resource.js';
import { existing, projectTarget } from './decider.js';

export interface CreateProjectBody {
  readonly name: string;
}

export const createProjectSchema = titled('NewProject', strictObject({ name: nameSchema }, ['name']));

export interface UpdateProjectBody {
  readonly name?: string;
}

export const updateProjectSchema = titled('ProjectChanges', strictObject({ name: nameSchema }));

export const projectsQuerySchema = pageQuerySchema(['name', 'createdAt', 'updatedAt']);

export const projectSchema = record('Project', {
  projectId: uuidSchema,
  organizationId: uuidSchema,
  name: textSchema,
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

export const exampleNewProject = { name: 'Production' };

export const exampleProject: ReturnType<typeof presentProject> = {
  projectId: exampleIds.projectId,
  organizationId: exampleIds.organizationId,
  ...exampleNewProject,
  createdAt: exampleTime,
  updatedAt: exampleTime,
};

export const presentProject = (project: Project) => ({
  projectId: project.projectId,
  organizationId: project.organizationId,
  name: project.name,
  createdAt: project.createdAt,
  updatedAt: project.updatedAt,
});

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
