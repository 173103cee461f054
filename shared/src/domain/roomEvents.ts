import type { AppConfig, TriggerWebhook } from './app.js';

export const roomEventNames = ['occupied', 'vacated', 'joined', 'left'] as const;
export type RoomEventName = (typeof roomEventNames)[number];

/** [HOOK-EVENT-1] Where an app wants to be told who comes and goes in its rooms. */
export interface EventWebhook extends TriggerWebhook {
  readonly events: readonly RoomEventName[];
  /** Who comes back within so many seconds has not left. */
  readonly lingerSeconds: number;
}

export const lingering = { usualSeconds: 5, longestSeconds: 300 } as const;

/** Undefined where there is none. An app of an earlier version may have a setting of its own with this name, which counts as none. */
export const eventWebhookOf = ({ eventWebhook }: AppConfig): EventWebhook | undefined => {
  if (typeof eventWebhook !== 'object' || eventWebhook === null) return undefined;
  const { url, headers, events = roomEventNames, ...rest } = eventWebhook as Partial<EventWebhook>;
  const { lingerSeconds = lingering.usualSeconds } = rest;
  if (typeof url !== 'string' || !Array.isArray(events) || typeof lingerSeconds !== 'number')
    return undefined;
  return { ...rest, url, ...(headers && { headers }), events: events.filter(isRoomEventName), lingerSeconds };
};

const isRoomEventName = (name: unknown): name is RoomEventName =>
  roomEventNames.some((known) => known === name);
