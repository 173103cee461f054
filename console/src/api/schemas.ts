import type { components } from '@roomwire/server';
import type { WithArrays } from './client.js';

/** Records and bodies of the API, by their names in its description: `Schemas['Actor']`. */
export type Schemas = WithArrays<components['schemas']>;
