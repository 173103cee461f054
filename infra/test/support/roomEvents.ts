import type { ReceivedCall, WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';

/** What a webhook for the events of rooms gets. */
export interface RoomEventBody {
  readonly appId: string;
  readonly roomId: string;
  readonly roomSlug: string;
  readonly scope: { readonly accessScopeId: string } | null;
  readonly event: 'occupied' | 'vacated' | 'joined' | 'left';
  readonly actorTokenId: string | null;
  readonly presence: unknown;
  readonly at: string;
  readonly sequence: number;
}

export const eventsOf = (calls: readonly ReceivedCall[]): readonly RoomEventBody[] =>
  calls.map(({ json }) => json as RoomEventBody);

/** `event actor`, in the order of arrival. */
export const toldBy = ({ received }: WebhookEndpoint): readonly string[] =>
  eventsOf(received).map(({ event, actorTokenId }) =>
    actorTokenId === null ? event : `${event} ${actorTokenId}`,
  );

/**
 * The events without second copies, by place and sequence. Throws where one is missing before a later one, or two have one number: then it is
 * not what was promised.
 */
export const toldOnce = ({ received }: WebhookEndpoint): readonly RoomEventBody[] => {
  const last = new Map<string, number>();
  const told = new Map<string, string>();
  const events: RoomEventBody[] = [];
  for (const { json, text } of received) {
    const event = json as RoomEventBody;
    const place = `${event.roomId}/${event.scope?.accessScopeId ?? '_'}`;
    const number = `${place} ${event.sequence}`;
    const before = told.get(number);
    if (before !== undefined && before !== text) throw new Error(`Two events ${number}: ${before}, ${text}`);
    if (before !== undefined) continue;
    if (event.sequence !== (last.get(place) ?? 0) + 1)
      throw new Error(`${number} came after ${last.get(place) ?? 0}`);
    last.set(place, event.sequence);
    told.set(number, text);
    events.push(event);
  }
  return events;
};
