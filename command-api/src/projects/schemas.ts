import { pageQuerySchema } from '../http/pagination.js';
import { nameSchema, strictObject } from '../http/schemas.js';

export interface CreateProjectBody {
  readonly name: string;
}

export const createProjectSchema = strictObject({ name: nameSchema }, ['name']);

export interface UpdateProjectBody {
  readonly name?: string;
}

export const updateProjectSchema = strictObject({ name: nameSchema });

export const projectsQuerySchema = pageQuerySchema(['name', 'createdAt', 'updatedAt']);
