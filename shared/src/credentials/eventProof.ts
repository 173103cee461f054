import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Buffer } from 'node:buffer';
import type { EventMetadata, EventProof, NewEvent } from '../domain/eventEnvelope.js';
import { auditKeyIdOf, type AuditKeys } from './auditKeys.js';

/** Where an event stands, and the MAC of the one before it in its stream: null where that one has none. */
export interface EventPlace {
  readonly stream: string;
  readonly revision: number;
  readonly previous: string | null;
}

/** An event, or a line of an export, from which secrets are left out of the data. */
export interface ProvenContent {
  readonly id: string;
  readonly type: string;
  readonly schemaVersion: number;
  readonly metadata: EventMetadata;
  readonly dataHash: string;
}

/** SHA-256 of the data as JSON, in base64url: with it, data of which a part is withheld can be proven all the same. */
export const dataHashOf = (data: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(data) ?? '')
    .digest('base64url');

export const contentOf = ({ id, type, schemaVersion, metadata, data }: NewEvent): ProvenContent => ({
  ...{ id, type, schemaVersion, metadata },
  dataHash: dataHashOf(data),
});

export const withoutProof = ({ proof: _, ...metadata }: EventMetadata): EventMetadata => metadata;

/** What the MAC is over. JSON keeps the order of names, and so does every event log. */
const provenText = ({ stream, revision, previous }: EventPlace, content: ProvenContent): string => {
  const { id, type, schemaVersion, dataHash } = content;
  return JSON.stringify([
    'roomwire event 1',
    ...[stream, revision, previous, id, type, schemaVersion, withoutProof(content.metadata), dataHash],
  ]);
};

const macOf = (key: Uint8Array, place: EventPlace, content: ProvenContent): Buffer =>
  createHmac('sha256', key).update(provenText(place, content)).digest();

/** Adds to an event that is appended at a place what proves it. */
export const createEventProver = ({ current }: Pick<AuditKeys, 'current'>) => {
  const keyId = auditKeyIdOf(current);
  return (event: NewEvent, place: EventPlace): EventProof => ({
    keyId,
    mac: macOf(current, place, contentOf(event)).toString('base64url'),
  });
};

export type ProofVerdict = 'sound' | 'not authentic' | 'unknown key';

export type CheckProof = (content: ProvenContent, proof: EventProof, place: EventPlace) => ProofVerdict;

export const createProofCheck = ({ current, previous }: AuditKeys): CheckProof => {
  const keys = new Map([...previous, current].map((key) => [auditKeyIdOf(key), key]));
  return (content, proof, place) => {
    const key = keys.get(proof.keyId);
    if (key === undefined) return 'unknown key';
    const expected = macOf(key, place, content);
    const found = Buffer.from(proof.mac, 'base64url');
    return found.length === expected.length && timingSafeEqual(found, expected) ? 'sound' : 'not authentic';
  };
};
