import { ApiFailure } from '../api/failure.js';
import type { Credential } from '../api/client.js';
import { openProject, type ConsoleAccess } from './consoleRoutes.js';
import { expire } from './sessionStore.js';

/** Renewed this long before it ends, so that no request has one that ends on its way. */
const aheadMs = 5 * 60_000;

/** The credentials of the console in one project, made when they are needed and renewed before they end. */
export interface ProjectAccess {
  current(): Promise<ConsoleAccess>;
  /** For requests to the project's routes. */
  readonly credential: Credential;
  /** For the SDK, which asks at every connect and before a token ends; `scope` is an accessScopeId. */
  socketToken(scope?: string): Promise<string>;
}

export const createProjectAccess = (
  sessionToken: string,
  project: { readonly organizationId: string; readonly projectId: string },
): ProjectAccess => {
  let kept: Promise<ConsoleAccess> | undefined;
  let renewAt = 0;

  const make = async (scope?: string): Promise<ConsoleAccess> => {
    try {
      return await openProject(sessionToken, { ...project, ...(scope === undefined ? {} : { scope }) });
    } catch (error) {
      if (error instanceof ApiFailure && error.status === 401) expire(sessionToken);
      throw error;
    }
  };

  const renew = (): Promise<ConsoleAccess> => {
    renewAt = Number.POSITIVE_INFINITY;
    const made = make();
    kept = made;
    made.then(
      ({ expiresAt }) => (renewAt = Date.parse(expiresAt) - aheadMs),
      () => (kept = kept === made ? undefined : kept),
    );
    return made;
  };

  const current = (): Promise<ConsoleAccess> =>
    kept === undefined || Date.now() >= renewAt ? renew() : kept;

  return {
    current,
    credential: {
      current: async () => (await current()).apiKey,
      refused: async (apiKey) => {
        const { apiKey: now } = await current();
        // Another request may have renewed it meanwhile.
        return now === apiKey ? (await renew()).apiKey : now;
      },
    },
    socketToken: async (scope) => (scope === undefined ? await renew() : await make(scope)).token,
  };
};
