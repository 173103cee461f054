import type { FilterEntry } from './filterEntry.js';

/** The bus hop's quality of service. It changes nothing on the WebSocket leg. */
export type Qos = 0 | 1 | 2;

export interface AuthFrame {
  readonly type: 'auth';
  /** Undefined when missing or no string: refused like any other bad credential. */
  readonly token: string | undefined;
  readonly protocolVersion: number;
  readonly reconnect: boolean;
  readonly clientId: string | undefined;
}

export interface ReauthFrame {
  readonly type: 'reauth';
  /** Undefined when missing or no string: refused like any other bad credential. */
  readonly token: string | undefined;
}

export interface SubscribeFrame {
  readonly type: 'subscribe';
  readonly topic: string;
  readonly qos: Qos;
  /** As sent: not yet checked for forbidden characters and number. Empty for every message. */
  readonly filters: readonly FilterEntry[];
  /** Takes turns with the others of its group, instead of getting every message. */
  readonly loadBalance: boolean;
  /** Undefined, or empty, for the actor's own group. */
  readonly loadBalanceGroup: string | undefined;
}

export interface UnsubscribeFrame {
  readonly type: 'unsubscribe';
  readonly topic: string;
}

export interface SetFiltersFrame {
  readonly type: 'setFilters';
  readonly topic: string;
  /** As sent, like those of a subscribe. */
  readonly filters: readonly FilterEntry[];
}

export interface PublishFrame {
  readonly type: 'publish';
  readonly topic: string;
  /** One MessagePack value, as the client sent it where it sent MessagePack. It is never decoded on its way. */
  readonly data: Uint8Array;
  readonly qos: Qos;
  /** Kept as the last value of the topic. */
  readonly retain: boolean;
  readonly filter: string | undefined;
  readonly filters: readonly string[];
  readonly msgRef: string | undefined;
}

export interface AckFrame {
  readonly type: 'ack';
  readonly msgId: string;
}

export interface BatchAckFrame {
  readonly type: 'batchAck';
  /** At most `maxAckIds`. */
  readonly msgIds: readonly string[];
}

export interface PresenceFrame {
  readonly type: 'presence';
  /** Undefined for the deprecated form, which does nothing. */
  readonly roomId: string | undefined;
  /** The `roomId` too: what an error about the frame names. */
  readonly topic: string | undefined;
  /** One MessagePack map, never decoded on its way. */
  readonly data: Uint8Array;
}

export interface GetPresenceFrame {
  readonly type: 'getPresence';
  readonly roomId: string | undefined;
  /** As in `PresenceFrame`. */
  readonly topic: string | undefined;
}

export interface LobbyFrame<T extends string> {
  readonly type: T;
  readonly lobbyId: string;
}

export type LobbySubscribeFrame = LobbyFrame<'lobbySubscribe'>;
export type LobbyUnsubscribeFrame = LobbyFrame<'lobbyUnsubscribe'>;
export type GetLobbyPresenceFrame = LobbyFrame<'getLobbyPresence'>;

/** What a client may send, once it has been parsed. A frame of the protocol is a member here, or it is unknown. */
export type ClientFrame =
  | AuthFrame
  | ReauthFrame
  | SubscribeFrame
  | UnsubscribeFrame
  | SetFiltersFrame
  | PublishFrame
  | AckFrame
  | BatchAckFrame
  | PresenceFrame
  | GetPresenceFrame
  | LobbySubscribeFrame
  | LobbyUnsubscribeFrame
  | GetLobbyPresenceFrame;

export type ClientFrameType = ClientFrame['type'];

export type ClientFrameOf<T extends ClientFrameType> = Extract<ClientFrame, { type: T }>;
