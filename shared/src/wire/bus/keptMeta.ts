import type { HistoryBounds } from '../../domain/topicHistory.js';

/** Where a message of a topic with history belongs, and how much its topic keeps. */
export interface KeptMeta extends HistoryBounds {
  readonly appId: string;
  readonly roomId: string;
  /** Null outside of every scope. */
  readonly accessScopeId: string | null;
}

/** On a message that is kept: earlier releases read it as one that is not. */
export const keptHeader = 'roomwire-kept';

export const keptText = ({ appId, roomId, accessScopeId, seconds, messages }: KeptMeta): string =>
  `${appId}/${roomId}/${accessScopeId ?? ''}/${seconds}/${messages}`;

const text = /^([^/]+)\/([^/]+)\/([^/]*)\/([1-9]\d{0,8})\/([1-9]\d{0,8})$/;

/** Undefined for a text that says nothing: the message is delivered, and not kept. */
export const keptFrom = (header: string): KeptMeta | undefined => {
  const [, appId, roomId, accessScopeId, seconds, messages] = text.exec(header) ?? [];
  if (appId === undefined || roomId === undefined) return undefined;
  return {
    appId,
    roomId,
    accessScopeId: accessScopeId || null,
    seconds: Number(seconds),
    messages: Number(messages),
  };
};
