import type { Project } from '@roomwire/shared/domain/project';
import type { CommandHandler } from '../handling/commandHandler.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import { pageQuerySchema } from '../http/listing.js';
import { pathValue, type SessionRequest } from '../http/route.js';
import { organizationOf } from '../organizations/resource.js';
import { existing, projectTarget } from './decider.js';
import * as s from '../http/schema.js';

export const createProjectSchema = s.titled('NewProject', s.strictObject({ name: s.name }, ['name']));

export const updateProjectSchema = s.titled('ProjectChanges', s.strictObject({ name: s.name }));

export const projectsQuerySchema = pageQuerySchema(['name', 'createdAt', 'updatedAt']);

export const projectSchema = s.titledObject('Project', {
  projectId: s.uuid,
  organizationId: s.uuid,
  name: s.text(),
  createdAt: s.time,
  updatedAt: s.time,
});

type ProjectAnswer = s.ValueOf<typeof projectSchema>;

export const presentProject = (project: Project): ProjectAnswer => ({
  projectId: project.projectId,
  organizationId: project.organizationId,
  name: project.name,
  createdAt: project.createdAt,
  updatedAt: project.updatedAt,
});

export const exampleNewProject = { name: 'Production' };

export const exampleProject: ProjectAnswer = {
  projectId: exampleIds.projectId,
  organizationId: exampleIds.organizationId,
  ...exampleNewProject,
  createdAt: exampleTime,
  updatedAt: exampleTime,
};

/** The project that the path names, in the organization that the path names. */
export const projectOf = async (commands: CommandHandler, request: SessionRequest): Promise<Project> => {
  const { organizationId } = await organizationOf(commands, request);
  const projectId = pathValue(request, 'projectId');
  return commands.inspect(projectTarget(projectId), (state) =>
    existing(state, { organizationId, projectId }),
  );
};
