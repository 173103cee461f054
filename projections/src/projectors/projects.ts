import { createdProject, type ProjectEvent } from '@roomwire/shared/domain/projects/project';
import type { Projector } from './projector.js';

export const projects: Projector<ProjectEvent> = {
  ProjectCreated: (data, { occurredAt, position }) => [
    {
      put: 'projects',
      id: data.projectId,
      doc: { ...createdProject(data, occurredAt), createdPosition: position },
    },
  ],
  ProjectUpdated: ({ projectId, changes }, { occurredAt }) => [
    { patch: 'projects', id: projectId, set: { ...changes, updatedAt: occurredAt } },
  ],
  ProjectDeleted: ({ projectId }) => [
    { remove: 'projects', id: projectId },
    { removeWhere: 'apiKeys', filter: { projectId } },
    { removeWhere: 'signingKeys', filter: { projectId } },
    { removeWhere: 'grants', filter: { projectId } },
    { removeWhere: 'rooms', filter: { projectId } },
    { removeWhere: 'apps', filter: { projectId } },
    { removeWhere: 'actors', filter: { projectId } },
    { removeWhere: 'scopes', filter: { projectId } },
    { removeWhere: 'deadLetters', filter: { projectId } },
    { removeWhere: 'webhookSecrets', filter: { projectId } },
  ],
};
