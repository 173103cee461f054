import type { App } from '@roomwire/shared/domain/apps/app';

/** Which of an app's rooms a lobby of it shows, by room slug; undefined when the app has no such lobby. */
export const roomsOfLobby = (
  { slug, config }: Pick<App, 'slug' | 'config'>,
  lobbySlug: string,
): ((roomSlug: string) => boolean) | undefined => {
  if (lobbySlug === slug) return () => true;
  const lobby = config.lobbies?.find((one) => one.slug === lobbySlug);
  return lobby && ((roomSlug) => lobby.rooms.some((pattern) => fits(pattern, roomSlug)));
};

const fits = (pattern: string, roomSlug: string): boolean =>
  pattern.endsWith('*') ? roomSlug.startsWith(pattern.slice(0, -1)) : pattern === roomSlug;
