import { Buffer } from 'node:buffer';
import { decode, Encoder } from '@msgpack/msgpack';
import { Binary } from 'mongodb';
import type { RecordedFact } from '../../../ports/connectionRecord.js';
import type { ConnectionFact } from '../../../wire/bus/connectionFacts.js';
import { placeOfConnection } from '../../../wire/connectionPlaces.js';
import { stateOf, type ConnectionState, type FoldedConnection } from '../connectionFold.js';
import type { FoldedGateway } from '../gatewayFold.js';

/** The id is that of the connection. The other fields beside it are those that are searched by. */
export interface ConnectionDocument {
  readonly _id: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly actorTokenId: string;
  readonly place: string;
  readonly gateway: string;
  readonly state: ConnectionState;
  /** The place and the time of its last fact. */
  readonly last: string;
  readonly lastAt: number;
  readonly connection: FoldedConnection;
}

/** The id is the connection and the room. */
export interface RoomDocument {
  readonly _id: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly room: string;
  readonly place: string;
  readonly connectionId: string;
}

/** The id is the connection and the place. */
export interface FactDocument {
  readonly _id: string;
  readonly connectionId: string;
  readonly projectId: string;
  readonly place: string;
  readonly at: number;
  readonly messageId?: string;
  /** MessagePack, since the keys of its places hold dots. */
  readonly fact: Binary;
}

/** The id is that of the gateway. */
export interface GatewayDocument extends FoldedGateway {
  readonly _id: string;
}

const encoder = new Encoder({ ignoreUndefined: true });

export const connectionDocument = (connection: FoldedConnection, lastAt: number): ConnectionDocument => {
  const { connectionId: _id, organizationId, projectId, actorTokenId, gateway, last } = connection;
  return {
    ...{ _id, organizationId, projectId, actorTokenId, gateway, last, lastAt, connection },
    place: placeOfConnection(connection),
    state: stateOf(connection),
  };
};

export const roomDocument = (connection: FoldedConnection, room: string): RoomDocument => {
  const { connectionId, organizationId, projectId } = connection;
  return {
    _id: roomKey(connectionId, room),
    ...{ organizationId, projectId, room, connectionId, place: placeOfConnection(connection) },
  };
};

export const roomKey = (connectionId: string, room: string): string => `${connectionId} ${room}`;

export const factDocument = (projectId: string, { place, fact }: RecordedFact): FactDocument => ({
  _id: `${fact.connection} ${place}`,
  ...{ connectionId: fact.connection, projectId, place, at: fact.at },
  ...(fact.kind === 'handedOut' && { messageId: fact.messageId }),
  fact: new Binary(Buffer.from(encoder.encode(fact))),
});

export const recordedFact = ({ place, fact }: Pick<FactDocument, 'place' | 'fact'>): RecordedFact => ({
  place,
  fact: decode(fact.buffer) as ConnectionFact,
});
