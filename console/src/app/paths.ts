import { useProject } from '../session/console.js';

/** Where the console is served. */
export const base = '/console';

/** Absolute for links, wherever they stand: `~` leaves the part of the page that they stand in. */
export const projectPath = (organizationId: string, projectId: string, page = ''): string =>
  `~${base}/o/${organizationId}/p/${projectId}${page === '' ? '' : `/${page}`}`;

/** Addresses of pages of the open project: `pathTo('rooms', appId)`, `pathTo('trace', { messageId })`. */
export const usePathTo = (): ((page: string, ...rest: readonly PathPart[]) => string) => {
  const { organizationId, projectId } = useProject();
  return (page, ...rest) => projectPath(organizationId, projectId, joined(page, rest));
};

type PathPart = string | Readonly<Record<string, string | undefined>>;

const joined = (page: string, rest: readonly PathPart[]): string => {
  const segments = rest.filter((part) => typeof part === 'string').map(encodeURIComponent);
  const query = new URLSearchParams();
  for (const part of rest)
    if (typeof part !== 'string')
      for (const [name, value] of Object.entries(part)) if (value) query.set(name, value);
  const path = [page, ...segments].join('/');
  return query.size === 0 ? path : `${path}?${query}`;
};
