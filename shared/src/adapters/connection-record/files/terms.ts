import { Buffer } from 'node:buffer';
import type { ConnectionList } from '../findConnections.js';
import type { WrittenEntry } from './entries.js';

/** What the blocks of a segment are looked up by, as 32 bits: two that are the same lead to a block in vain. */
export type Term = number;

type Kind = 'connection' | 'organization' | 'project' | 'actor' | 'room' | 'job' | 'gateway';

/** 32 bits of FNV-1a. */
const hashed = (text: string, before: number): number => {
  let hash = before;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash;
};

const seeds: Readonly<Record<Kind, number>> = {
  ...{ connection: hashed('connection ', 0x811c9dc5), organization: hashed('organization ', 0x811c9dc5) },
  ...{ project: hashed('project ', 0x811c9dc5), actor: hashed('actor ', 0x811c9dc5) },
  ...{ room: hashed('room ', 0x811c9dc5), job: hashed('job ', 0x811c9dc5) },
  gateway: hashed('gateway ', 0x811c9dc5),
};

export const termOf = (kind: Kind, id: string): Term => hashed(id, seeds[kind]) >>> 0;

export const termOfList = (organizationId: string, list: ConnectionList): Term => {
  switch (list.of) {
    case 'room':
      return termOf('room', list.room);
    case 'actor':
      return termOf('actor', list.actorTokenId);
    case 'project':
      return termOf('project', list.projectId);
    default:
      return termOf('organization', organizationId);
  }
};

/** Where an entry is to be found. */
export const termsOf = ({ connection, rooms, facts }: WrittenEntry): readonly Term[] => {
  const { connectionId, organizationId, projectId, actorTokenId, gateway } = connection;
  const terms = [
    ...[termOf('connection', connectionId), termOf('organization', organizationId)],
    ...[termOf('project', projectId), termOf('actor', actorTokenId), termOf('gateway', gateway)],
  ];
  for (const room of rooms) terms.push(termOf('room', room));
  for (const { messageId } of facts) if (messageId !== undefined) terms.push(termOf('job', messageId));
  return terms;
};

const [hashBytes, blockBytes] = [4, 2];
const blockValues = 2 ** (8 * blockBytes);

/** The terms of a segment, in which blocks each of them is: sorted hashes, and the blocks of them. */
export class TermTable {
  private readonly bytes: Buffer;
  private readonly size: number;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.size = bytes.length / (hashBytes + blockBytes);
  }

  static bytesOf(blocks: readonly (readonly Term[])[]): Buffer {
    const pairs = blocks.flatMap((terms, block) => terms.map((term) => term * blockValues + block));
    const sorted = Float64Array.from(new Set(pairs)).sort();
    const bytes = Buffer.allocUnsafe(sorted.length * (hashBytes + blockBytes));
    sorted.forEach((pair, index) => {
      bytes.writeUInt32LE(Math.floor(pair / blockValues), index * hashBytes);
      bytes.writeUInt16LE(pair % blockValues, sorted.length * hashBytes + index * blockBytes);
    });
    return bytes;
  }

  blocksOf(term: Term): readonly number[] {
    const blocks: number[] = [];
    for (let index = this.firstOf(term); index < this.size && this.hashAt(index) === term; index += 1)
      blocks.push(this.bytes.readUInt16LE(this.size * hashBytes + index * blockBytes));
    return blocks;
  }

  private firstOf(term: Term): number {
    let [low, high] = [0, this.size];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.hashAt(middle) < term) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private hashAt(index: number): number {
    return this.bytes.readUInt32LE(index * hashBytes);
  }
}
