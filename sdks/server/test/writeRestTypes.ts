import { writeFile } from 'node:fs/promises';
import { restTypes } from './restTypes.js';

await writeFile(new URL('../../src/rest/schema.ts', import.meta.url), await restTypes());
