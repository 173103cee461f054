/** Of the scope of an actor, of a room in it, or of the backend's message. */
export interface CallScope {
  readonly accessScopeId: string;
  readonly slug: string;
  readonly name: string;
}

/** What a trigger, or the webhook of a topic, calls with. */
export interface TriggerBody {
  readonly roomName: string;
  readonly topicName: string;
  /** The `actorTokenId` of the publisher; null for a backend. */
  readonly actorId: string | null;
  readonly data: unknown;
  readonly scope: CallScope | null;
}

/** The same of a webhook with `bodyVersion: 2`. */
export interface TriggerBodyV2 extends TriggerBody {
  readonly appId: string;
  readonly appSlug: string;
  readonly roomId: string;
  /** The whole address, `app-slug/room-slug/topic`. */
  readonly topic: string;
  /** Of the message; the publisher's own, where it gave one. */
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  /** Of a topic with history alone. */
  readonly position?: string;
}

interface RoomEvent {
  readonly appId: string;
  readonly roomId: string;
  readonly roomSlug: string;
  readonly scope: CallScope | null;
  /** ISO 8601. */
  readonly at: string;
  /** Counts the chosen events of the room and the scope, from 1 on, with none missing: a lower one than before comes late. */
  readonly sequence: number;
}

/** What the `eventWebhook` of an app calls with. */
export type RoomEventBody =
  | (RoomEvent & {
      readonly event: 'occupied' | 'vacated';
      readonly actorTokenId: null;
      readonly presence: null;
    })
  | (RoomEvent & {
      readonly event: 'joined' | 'left';
      readonly actorTokenId: string;
      /** Of `left` the last one. */
      readonly presence: Readonly<Record<string, unknown>>;
    });
