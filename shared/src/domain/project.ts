import type { HappenedEvent } from './eventEnvelope.js';

export interface ProjectFields {
  readonly projectId: string;
  readonly organizationId: string;
  readonly name: string;
}

export interface Project extends ProjectFields {
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type ProjectChanges = Partial<Pick<Project, 'name'>>;

export type ProjectEvent =
  | { readonly type: 'ProjectCreated'; readonly data: ProjectFields }
  | {
      readonly type: 'ProjectUpdated';
      readonly data: { readonly projectId: string; readonly changes: ProjectChanges };
    }
  | { readonly type: 'ProjectDeleted'; readonly data: { readonly projectId: string } };

export const projectStream = (projectId: string): string => `project-${projectId}`;

export const createdProject = (fields: ProjectFields, at: string): Project => ({
  ...fields,
  createdAt: at,
  updatedAt: at,
});

export const evolveProject = (
  project: Project | undefined,
  event: HappenedEvent<ProjectEvent>,
): Project | undefined => {
  switch (event.type) {
    case 'ProjectCreated':
      return createdProject(event.data, event.occurredAt);
    case 'ProjectUpdated':
      return project && { ...project, ...event.data.changes, updatedAt: event.occurredAt };
    case 'ProjectDeleted':
      return undefined;
  }
};
