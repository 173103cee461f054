import type { Buffer } from 'node:buffer';
import type { ActorType } from '@roomwire/shared/domain/actor';
import type { Capabilities } from '@roomwire/shared/domain/capabilities';
import type { Scope } from '@roomwire/shared/domain/scope';
import type { CloseSpec } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { ProtocolErrorContext, ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { ServerFrame } from '@roomwire/shared/wire/protocol/serverFrames';
import type { ProtocolVersion } from '@roomwire/shared/wire/protocol/protocolErrors';

/** The access scope of a connection's actor. */
export type ActorScope = Pick<Scope, 'accessScopeId' | 'slug' | 'name'>;

/** Who an authenticated connection is. */
export interface Identity {
  readonly actorTokenId: string;
  readonly projectId: string;
  readonly organizationId: string;
  readonly actorType: ActorType;
  /** The slug of the scope, which is part of every internal address. */
  readonly scope: string | null;
  readonly accessScope: ActorScope | null;
  /** To which the client token narrows what the actor may do; undefined where nothing narrows it. */
  readonly capabilities: Capabilities | undefined;
  readonly version: ProtocolVersion;
  /** Of an external actor: its type. */
  readonly externalType?: ActorType;
  /** Of an external actor: the `iat` of its token, Unix seconds; null where that does not say. */
  readonly issuedAt?: number | null;
  /** An observer of the console: it may read everything, does nothing, and is counted nowhere. */
  readonly observes?: true;
}

/** Whose messages are published: an actor, or a backend, which has an empty `actorTokenId`. */
export type Author = Pick<
  Identity,
  'actorTokenId' | 'projectId' | 'organizationId' | 'scope' | 'accessScope' | 'externalType' | 'issuedAt'
>;

/** Frames that are queued for a connection. */
export interface ClientOutbox {
  push(frame: Buffer): void;
  /** For a frame that very many connections get: they are written to in slices, this one earlier where something else is pushed. */
  pushLater(frame: Buffer): void;
  readonly waitingBytes: number;
  /** Whether pushed frames are sent. */
  readonly isOpen: boolean;
}

/** The view that lower modules have of an authenticated connection. */
export interface Client {
  /** Changes only with the scope of the actor and with its token. */
  readonly identity: Identity;
  readonly outbox: ClientOutbox;
  /** Names the connection among those of all gateways. */
  readonly connection: string;
  /** Whether the connection has ended. */
  readonly isOver: boolean;
  send(frame: ServerFrame): void;
  sendError(name: ProtocolErrorName, context: ProtocolErrorContext): void;
  close(why: CloseSpec): void;
}
