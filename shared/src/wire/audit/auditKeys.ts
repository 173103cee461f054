/** The keys of the audit index. */
export const auditKeys = {
  project: (projectId: string) => `project:${projectId}`,
  /** The event creates, changes or removes the resource. */
  record: (id: string) => `record:${id}`,
  /** As above, or the event names the resource: a room, an actor or a scope. */
  resource: (id: string) => `resource:${id}`,
  type: (eventType: string) => `type:${eventType}`,
  principal: (principal: string) => `principal:${principal}`,
  /** The event removes the resource and everything that belongs to it. */
  removal: (id: string) => `removal:${id}`,
  /** The event gives an app of the project this slug. */
  appSlug: (projectId: string, slug: string) => `app:${projectId}/${slug}`,
  roomSlug: (appId: string, slug: string) => `room:${appId}/${slug}`,
  actorKeyId: (keyId: string) => `actor:${keyId}`,
};

/** Raise it when the keys change: an index of another version is rebuilt from the log. */
export const auditVersion = 2;
