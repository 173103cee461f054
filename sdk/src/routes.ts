import type { ClientEvents } from './clientEvents.js';
import type { Renewal } from './connection/renewal.js';
import type { RoomwireError } from './errors.js';
import type { Lobbies } from './presence/lobbies.js';
import type { Rooms } from './presence/rooms.js';
import type { Emitter } from './primitives.js';
import type { ErrorFrame, ServerFrame } from './protocol/frames.js';
import { protocolError } from './protocol/protocolError.js';
import type { Publishes } from './publishes/publishes.js';
import type { Requests } from './requests.js';
import type { Subscriptions } from './subscriptions/subscriptions.js';

/** The parts of a client that frames concern. */
export interface Targets {
  readonly emitter: Emitter<ClientEvents>;
  readonly subscriptions: Subscriptions;
  readonly publishes: Publishes;
  readonly requests: Requests;
  readonly rooms: Rooms;
  readonly lobbies: Lobbies;
  readonly renewal: Renewal | undefined;
  report(error: RoomwireError): void;
}

/** Where each frame of the server goes. */
export type Routes = {
  readonly [T in ServerFrame['type']]: (frame: Extract<ServerFrame, { type: T }>) => void;
};

export const routesOf = (parts: Targets): Routes => ({
  message: (frame) => parts.subscriptions.deliver(frame),
  published: (frame) => parts.publishes.published(frame),
  subscribed: (frame) => parts.subscriptions.subscribed(frame),
  replayStart: (frame) => parts.subscriptions.replayStarted(frame),
  replayEnd: (frame) => parts.subscriptions.replayEnded(frame),
  filtersUpdated: ({ topic }) => parts.subscriptions.filtersUpdated(topic),
  unsubscribed: ({ topic }) => parts.subscriptions.unsubscribed(topic),
  subscriptionEnded: ({ topic, reason }) => {
    parts.subscriptions.ended(topic, reason);
    parts.emitter.emit('subscriptionEnded', { topic, reason });
  },
  hydration: ({ topic, data }) => parts.emitter.emit('hydration', parts.subscriptions.hydrated(topic, data)),
  history: (frame) => answer(parts, frame, frame.ref),
  presence: (frame) => parts.emitter.emit('presence', parts.rooms.changed(frame)),
  presenceList: (frame) => answer(parts, frame, frame.roomId),
  presenceCount: (frame) => {
    parts.rooms.counted(frame);
    answer(parts, frame, frame.roomId);
  },
  lobbySubscribed: (frame) => {
    parts.lobbies.opened(frame);
    answer(parts, frame, frame.lobbyId);
  },
  lobbyPresenceList: (frame) => answer(parts, frame, frame.lobbyId),
  lobbyUnsubscribed: (frame) => answer(parts, frame, frame.lobbyId),
  lobbyPresence: (frame) => parts.lobbies.changed(frame),
  tokenExpiring: ({ authExpiresAt }) => {
    parts.emitter.emit('tokenExpiring', { authExpiresAt });
    parts.renewal?.expiring();
  },
  reauth: (frame) => answer(parts, frame, undefined),
  error: (frame) => {
    const error = protocolError(frame);
    if (!isAnswer(parts, frame, error)) parts.report(error);
  },
  // Answered once, before any other frame; the connection has taken it.
  auth: () => undefined,
});

const answer = ({ requests }: Targets, frame: ServerFrame, about: string | undefined): void =>
  void requests.answered({ type: frame.type, about }, frame);

/** `msgRef` means a publish, `ref` a question about history; without them the topic, the room or the lobby tells which request it was. */
const isAnswer = (parts: Targets, { ref }: ErrorFrame, error: RoomwireError): boolean => {
  if (error.msgRef !== undefined) return parts.publishes.refused(error);
  if (ref !== undefined) return parts.requests.refused(ref, error);
  return parts.subscriptions.refused(error) || parts.requests.refused(error.lobbyId ?? error.topic, error);
};
