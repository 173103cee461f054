import { isObserverKeyId, namesObserver, observedBy } from '@roomwire/shared/credentials/observerToken';

type Claims = Readonly<Record<string, unknown>>;

/** Whether it is the token of an observer, with which the console watches a project: the service has made it. */
export const isOfObserver = ({ kid }: Claims): boolean => typeof kid === 'string' && isObserverKeyId(kid);

export const faultsOfObserver = ({ sub, exp, roomwire }: Claims): readonly string[] =>
  typeof sub === 'string' && namesObserver(sub) && typeof exp === 'number' && observed(roomwire)
    ? []
    : ['Its claims are not those of an observer: the service has not made it so'];

export const factsOfObserver = ({ sub, roomwire }: Claims): readonly string[] => {
  const { projectId, accessScopeId } = observed(roomwire) ?? {};
  const principal = typeof sub === 'string' ? observedBy(sub) : '';
  return [
    `The token of an observer, with which the console works for ${principal}`,
    `it may subscribe in every room of the project ${String(projectId)}, ${
      typeof accessScopeId === 'string' ? `in the scope ${accessScopeId}` : 'outside of every scope'
    }`,
    'it publishes nothing, and appears in no presence and no quota',
    'it ends with the session that has asked for it',
  ];
};

const observed = (roomwire: unknown): Claims | undefined => {
  const claims = roomwire as { readonly observer?: Claims } | null | undefined;
  return typeof claims?.observer === 'object' ? claims.observer : undefined;
};
