import { exampleIds, exampleTime } from '../http/exampleValues.js';
import { record, textSchema, timeSchema, uuidSchema } from '../http/schema.js';
import type { presentProject } from './present.js';

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
