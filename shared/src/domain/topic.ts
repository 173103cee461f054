/** One grammar for the slugs of apps and rooms, see `scopeSlugPattern` for scopes: they are segments of topic addresses. */
export const slugPattern = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

export const slugMaxLength = 100;

/** Maximum length of a slug before its suffix of a hyphen and four random hex digits. */
export const slugBaseMaxLength = slugMaxLength - 5;

export const isSlug = (text: string): boolean => text.length <= slugMaxLength && slugPattern.test(text);

export const topicNameMaxLength = 100;

export const topicNamePattern = /^[a-zA-Z0-9_:-]+$/;

export const isTopicName = (text: string): boolean =>
  text.length <= topicNameMaxLength && topicNamePattern.test(text);

/** An address as clients write it: `app-slug/room-slug/topic-name`. */
export interface TopicAddress {
  readonly app: string;
  readonly room: string;
  readonly topic: string;
}

/** Undefined for anything but three well-formed segments: there are no wildcards. */
export const parseTopicAddress = (text: string): TopicAddress | undefined => {
  const [app, room, topic, ...rest] = text.split('/');
  if (app === undefined || room === undefined || topic === undefined || rest.length > 0) return undefined;
  return isSlug(app) && isSlug(room) && isTopicName(topic) ? { app, room, topic } : undefined;
};

/** The room as the broker sees it. Scopes and projects never meet, because no slug is `_` or holds a `/`. */
export const internalRoom = (projectId: string, scope: string | null, app: string, room: string): string =>
  `${projectId}/${app}/${scope ?? '_'}/${room}`;

export const internalTopic = (room: string, topic: string): string => `${room}/${topic}`;

/** Where an internal topic is, as people see it. */
export interface PlainTopic extends TopicAddress {
  /** The slug of the scope. */
  readonly scope: string | null;
}

export const plainTopicOf = (internal: string): PlainTopic => {
  const [, app = '', scope = '', room = '', topic = ''] = internal.split('/');
  return { app, room, topic, scope: scope === '_' ? null : scope };
};

/** Of an internal topic; no topic name holds a `/`. */
export const roomOfTopic = (topic: string): string => topic.slice(0, topic.lastIndexOf('/'));

/** Of an internal topic, or of an address. */
export const topicNameOf = (topic: string): string => topic.slice(topic.lastIndexOf('/') + 1);
