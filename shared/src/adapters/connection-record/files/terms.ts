import { Buffer } from 'node:buffer';
import type { ConnectionList } from '../findConnections.js';

/** By what segments are looked up, as 32 bits: two that are the same lead to a segment in vain. */
export type Term = number;

export type TermKind = 'connection' | 'organization' | 'project' | 'actor' | 'room' | 'job' | 'gateway';

/** 32 bits of FNV-1a. */
const hashed = (text: string, before: number): number => {
  let hash = before;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash;
};

const seeds: Readonly<Record<TermKind, number>> = {
  ...{ connection: hashed('connection ', 0x811c9dc5), organization: hashed('organization ', 0x811c9dc5) },
  ...{ project: hashed('project ', 0x811c9dc5), actor: hashed('actor ', 0x811c9dc5) },
  ...{ room: hashed('room ', 0x811c9dc5), job: hashed('job ', 0x811c9dc5) },
  gateway: hashed('gateway ', 0x811c9dc5),
};

export const termOf = (kind: TermKind, id: string): Term => hashed(id, seeds[kind]) >>> 0;

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

/** The terms of a segment: sorted hashes, in the byte order of the machine. */
export class TermTable {
  private readonly sorted: Uint32Array;

  private constructor(sorted: Uint32Array) {
    this.sorted = sorted;
  }

  static of(terms: readonly Term[]): TermTable {
    return new TermTable(Uint32Array.from(terms).sort());
  }

  /** Of `bytes` of one. */
  static from(bytes: Uint8Array): TermTable {
    return new TermTable(new Uint32Array(Uint8Array.from(bytes).buffer));
  }

  get bytes(): Buffer {
    const { buffer, byteOffset, byteLength } = this.sorted;
    return Buffer.from(buffer, byteOffset, byteLength);
  }

  has(term: Term): boolean {
    let [low, high] = [0, this.sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const found = this.sorted[middle] as number;
      if (found === term) return true;
      if (found < term) low = middle + 1;
      else high = middle;
    }
    return false;
  }
}
