import {
  evolveProject,
  projectStream,
  type Project,
  type ProjectChanges,
  type ProjectEvent,
  type ProjectFields,
} from '@roomwire/shared/domain/project';
import { changedFields, type Decider, targetOf } from '../handling/writeModel.js';
import { Rejection } from '../handling/rejections.js';

interface ExistingProject {
  readonly organizationId: string;
  readonly projectId: string;
}

export type ProjectCommand =
  | { readonly type: 'CreateProject'; readonly project: ProjectFields }
  | ({ readonly type: 'UpdateProject'; readonly changes: ProjectChanges } & ExistingProject)
  | ({ readonly type: 'DeleteProject' } & ExistingProject);

export type ProjectState = Project | undefined;

export const projectDecider: Decider<ProjectState, ProjectCommand, ProjectEvent> = {
  initial: () => undefined,
  evolve: evolveProject,
  decide(command, project) {
    switch (command.type) {
      case 'CreateProject':
        return project ? [] : [{ type: 'ProjectCreated', data: command.project }];
      case 'UpdateProject': {
        const { projectId } = command;
        const changes = changedFields(existing(project, command), command.changes);
        return changes ? [{ type: 'ProjectUpdated', data: { projectId, changes } }] : [];
      }
      case 'DeleteProject':
        existing(project, command);
        return [{ type: 'ProjectDeleted', data: { projectId: command.projectId } }];
    }
  },
};

export const projectTarget = targetOf(projectStream, projectDecider);

/** A project of another organization does not exist. */
export const existing = (project: ProjectState, { organizationId, projectId }: ExistingProject): Project => {
  if (project?.organizationId !== organizationId) throw new Rejection('project_not_found', { projectId });
  return project;
};
