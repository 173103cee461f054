import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Of a build of the repository, and of the packed program, which is one bundle. */
const builds = ['../../../../console/dist/page', './console'];

/** Where the built console is; undefined where it is not. */
export const consoleFolder = (): string | undefined =>
  builds.map((path) => fileURLToPath(new URL(path, import.meta.url))).find((path) => existsSync(path));
