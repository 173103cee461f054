import { hash } from 'node:crypto';

/** The name of an endpoint: a URL of a project. Always the same, and it tells nothing of the URL. */
export const circuitIdOf = (projectId: string, url: string): string =>
  hash('sha256', `${projectId} ${url}`, 'hex').slice(0, 32);
