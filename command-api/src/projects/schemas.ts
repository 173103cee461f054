import { pageQuerySchema } from '../http/listing.js';
import { nameSchema, strictObject, titled } from '../http/schema.js';

export interface CreateProjectBody {
  readonly name: string;
}

export const createProjectSchema = titled('NewProject', strictObject({ name: nameSchema }, ['name']));

export interface UpdateProjectBody {
  readonly name?: string;
}

export const updateProjectSchema = titled('ProjectChanges', strictObject({ name: nameSchema }));

export const projectsQuerySchema = pageQuerySchema(['name', 'createdAt', 'updatedAt']);
