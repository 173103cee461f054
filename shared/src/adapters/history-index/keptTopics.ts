import { hash } from 'node:crypto';
import type { HistoryOwners, HistoryTopic } from '../../ports/history.js';
import type { KeptMeta, LiveMessage } from '../../wire/bus/liveMessage.js';
import { identityOf, type PositionedTopic } from '../../wire/protocol/position.js';

/** A topic as the index keeps it. */
export type OwnedTopic = HistoryTopic & HistoryOwners;

/** Of one length, because keys are short, and the name of a topic may be long. */
export const topicKeyOf = (topic: PositionedTopic): string =>
  hash('sha256', identityOf(topic), 'base64url').slice(0, 22);

/** Where a message belongs. */
export const topicOf = ({ room, topic, projectId }: LiveMessage, kept: KeptMeta): OwnedTopic => {
  const { appId, roomId, accessScopeId } = kept;
  return { room, roomId, accessScopeId, name: topic.slice(room.length + 1), projectId, appId };
};

/** The ids with which a topic is removed. */
export const ownersOf = ({ projectId, appId, roomId, accessScopeId }: OwnedTopic): readonly string[] =>
  accessScopeId === null ? [projectId, appId, roomId] : [projectId, appId, roomId, accessScopeId];

/** Of a document that holds more. */
export const ownedTopic = ({
  room,
  roomId,
  accessScopeId,
  name,
  projectId,
  appId,
}: OwnedTopic): OwnedTopic => ({ room, roomId, accessScopeId, name, projectId, appId });
