import { Buffer } from 'node:buffer';
import { Encoder } from '@msgpack/msgpack';
import type { ActorType } from '../../domain/actors/actor.js';
import type { AuthError, ReauthError } from './authErrors.js';
import type { FilterEntry } from './filterEntry.js';
import type { ErrorFrame } from './protocolErrors.js';
import type { ProtocolVersion } from './versions.js';
import { binaryFrame } from './wsFrame.js';

export interface RestoredSubscription {
  /** What the client wrote. */
  readonly pattern: string;
  /** The broker's internal topic. */
  readonly topic: string;
  readonly load_balance: boolean;
  readonly load_balance_group: string | null;
  readonly filters: readonly FilterEntry[];
}

export type AuthReply =
  | {
      readonly type: 'auth';
      readonly success: true;
      readonly actorTokenId: string;
      readonly projectId: string;
      readonly actorType: ActorType;
      readonly protocolVersion: ProtocolVersion;
      readonly restoredSubscriptions: readonly RestoredSubscription[];
    }
  | { readonly type: 'auth'; readonly success: false; readonly error: AuthError };

export type ReauthReply =
  | {
      readonly type: 'reauth';
      readonly success: true;
      /** Unix seconds; undefined when the token carries no expiry. */
      readonly authExpiresAt: number | undefined;
    }
  | { readonly type: 'reauth'; readonly success: false; readonly error: ReauthError };

/** What the server sends, but for what carries data that is never decoded: see `messageBody` and `presenceFrames.ts`. */
export type ServerFrame =
  | AuthReply
  | ReauthReply
  | { readonly type: 'disconnect'; readonly reason: 'token_expired' }
  | { readonly type: 'subscribed'; readonly topic: string; readonly loadBalance: boolean }
  | { readonly type: 'unsubscribed'; readonly topic: string }
  | { readonly type: 'filtersUpdated'; readonly topic: string; readonly filters: readonly FilterEntry[] }
  | { readonly type: 'published'; readonly topic: string; readonly msgRef: string }
  | { readonly type: 'replayStart'; readonly count: number }
  | { readonly type: 'replayEnd'; readonly replayed: number }
  | { readonly type: 'lobbyUnsubscribed'; readonly lobbyId: string }
  | ErrorFrame;

const encoder = new Encoder({ ignoreUndefined: true });

/** The complete WebSocket frame. */
export const encodeServerFrame = (frame: ServerFrame): Buffer => binaryFrame(encoder.encodeSharedRef(frame));

/** The answer to a heartbeat. */
export const heartbeatFrame: Buffer = binaryFrame(new Uint8Array());

const fieldName = (name: string): Uint8Array => encoder.encode(name);
const mapOf = (fields: number): Uint8Array => Uint8Array.of(0x80 + fields);
const typeMessage = Buffer.concat([fieldName('type'), encoder.encode('message')]);
const topicField = fieldName('topic');
const dataField = fieldName('data');
const filterField = fieldName('filter');
const msgIdField = fieldName('msgId');
const isReplay = Buffer.concat([fieldName('isReplay'), encoder.encode(true)]);
const requiresAck = Buffer.concat([fieldName('requiresAck'), encoder.encode(true)]);

/**
 * The beginning of every `message` to a topic that has no filter: all of it but the data. Of memory of its own, because it is
 * kept: a slice would keep the whole block alive that it is cut from, and what else is cut from that is gone in a moment.
 */
export const messageHead = (topic: string): Buffer => {
  const head = Buffer.concat([mapOf(3), typeMessage, topicField, encoder.encode(topic), dataField]);
  const own = Buffer.allocUnsafeSlow(head.length);
  own.set(head);
  return own;
};

/** A whole `message`, as MessagePack: the data goes in as it came. The id only where messages are recorded. */
export const messageBody = (head: Buffer, data: Uint8Array, filter?: string, msgId?: string): Buffer => {
  if (filter === undefined && msgId === undefined) return Buffer.concat([head, data]);
  const fields: Uint8Array[] = [head, data];
  if (msgId !== undefined) fields.push(msgIdField, encoder.encode(msgId), requiresAck);
  if (filter !== undefined) fields.push(filterField, encoder.encode(filter));
  const body = Buffer.concat(fields);
  body[0] = 0x80 + 3 + (msgId === undefined ? 0 : 2) + (filter === undefined ? 0 : 1);
  return body;
};

/** The same `message`, as one that is replayed to a worker group. */
export const replayedBody = (body: Uint8Array): Buffer => {
  const replayed = Buffer.concat([body, isReplay]);
  replayed[0] = (body[0] as number) + 1;
  return replayed;
};
