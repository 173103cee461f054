import type { Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

/** The opcode of every request after the first one of a connection. */
const message = 2013;
/** Behind the header, the flags and the kind of the first section. */
const bodyAt = 21;

/** Notes the commands that a client sends on a connection. */
export const noteCommands = (client: Socket, commands: Document[]): void => {
  let received: Buffer = Buffer.alloc(0);
  client.on('data', (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    for (let length; received.length >= 4 && received.length >= (length = received.readInt32LE(0));) {
      if (received.readInt32LE(12) === message) commands.push(bodyOf(received));
      received = received.subarray(length);
    }
  });
};

const bodyOf = (request: Buffer): Document =>
  BSON.deserialize(request.subarray(bodyAt, bodyAt + request.readInt32LE(bodyAt)));

/** How many documents each deletion in the collection names by their ids: infinitely many where it names none. */
export const deletionsIn = (collection: string, commands: readonly Document[]): number[] =>
  commands
    .filter((command) => command['delete'] === collection)
    .flatMap(({ deletes }) => deletes as { readonly q: { readonly _id?: { readonly $in?: unknown[] } } }[])
    .map(({ q }) => q._id?.$in?.length ?? Infinity);
