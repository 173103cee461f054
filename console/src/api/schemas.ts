import type { components } from '@roomwire/server';

/** Records and bodies of the API, by their names in its description: `Schemas['Actor']`. */
export type Schemas = components['schemas'];
