import type { LobbyContents, PresenceChange, PresenceEntry } from '../presence/presence.js';
import { mapOf, optional, text, type Fields } from './fields.js';

/** Reads what frames say of presences; throws for anything else. */
export const changeOf = (fields: Fields): PresenceChange => {
  const event = eventOf(fields);
  const data = mapOf(fields.data, 'data');
  const actorTokenId = text(data, 'actor_token_id');
  return event === 'leave'
    ? { event, actorTokenId }
    : { event, actorTokenId, presence: mapOf(data.presence, 'presence') };
};

export const eventOf = (fields: Fields): PresenceChange['event'] => {
  const event = text(fields, 'event');
  if (event !== 'join' && event !== 'update' && event !== 'leave') throw new TypeError('No such event');
  return event;
};

export const entriesOf = (value: unknown): readonly PresenceEntry[] => {
  if (!Array.isArray(value)) throw new TypeError('data must be an array');
  return value.map(entryOf);
};

export const snapshotOf = (fields: Fields): { lobbyId: string; presence: LobbyContents } => ({
  lobbyId: text(fields, 'lobbyId'),
  presence: each(fields.presence, (actors) => each(actors, entryOf)),
});

const entryOf = (value: unknown): PresenceEntry => {
  const entry = mapOf(value, 'An entry');
  return {
    actorTokenId: text(entry, 'actorTokenId'),
    presence: mapOf(entry.presence, 'presence'),
    joinedAt: optional(entry, 'joinedAt', 'number') ?? 0,
  };
};

const each = <T>(value: unknown, read: (item: unknown) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(mapOf(value, 'presence')).map(([key, item]) => [key, read(item)]));
