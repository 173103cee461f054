import type { Project } from '@roomwire/shared/domain/projects/project';

export const presentProject = (project: Project) => ({
  projectId: project.projectId,
  organizationId: project.organizationId,
  name: project.name,
  createdAt: project.createdAt,
  updatedAt: project.updatedAt,
});
