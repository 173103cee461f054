import { createHmac, timingSafeEqual } from 'node:crypto';
import { Buffer } from 'node:buffer';
import { dataTextOf, type EventMetadata, type EventProof, type NewEvent } from '../domain/eventEnvelope.js';
import { auditKeyIdOf, type AuditKeys } from './auditKeys.js';

/** Where an event stands, and the MAC of the one before it in its stream: null where that one has none. */
export interface EventPlace {
  readonly stream: string;
  readonly revision: number;
  readonly previous: string | null;
}

/** An event, or a line of an export, which has a hash of the data where it withholds a part of it. */
export interface ProvenContent extends NewEvent {
  readonly dataHash?: string;
}

/** HMAC-SHA-256 of the data as JSON, in base64url: with a key, so that nobody finds short secrets in the data by trying. */
const dataHashOf = (key: Uint8Array, dataText: string): string =>
  createHmac('sha256', key).update('data\n').update(dataText).digest('base64url');

export const withoutProof = ({ proof: _, ...metadata }: EventMetadata): EventMetadata => metadata;

/** What the MAC is over. JSON keeps the order of names, and so does every event log. */
const provenText = (
  { stream, revision, previous }: EventPlace,
  content: NewEvent,
  dataHash: string,
): string => {
  const { id, type, schemaVersion } = content;
  return JSON.stringify([
    'roomwire event 1',
    ...[stream, revision, previous, id, type, schemaVersion, withoutProof(content.metadata), dataHash],
  ]);
};

const macOf = (key: Uint8Array, place: EventPlace, content: NewEvent, dataHash: string): string =>
  createHmac('sha256', key)
    .update(provenText(place, content, dataHash))
    .digest('base64url');

/** What proves an event that is appended at a place, and whose data is this text. */
export const createEventProver = ({ current }: Pick<AuditKeys, 'current'>) => {
  const keyId = auditKeyIdOf(current);
  return (event: NewEvent, dataText: string, place: EventPlace): EventProof => ({
    keyId,
    mac: macOf(current, place, event, dataHashOf(current, dataText)),
  });
};

export type ProofVerdict = 'sound' | 'not authentic' | 'unknown key';

export type CheckProof = (content: ProvenContent, proof: EventProof, place: EventPlace) => ProofVerdict;

const keysById = ({ current, previous }: AuditKeys): ReadonlyMap<string, Uint8Array> =>
  new Map([...previous, current].map((key) => [auditKeyIdOf(key), key]));

export const createProofCheck = (auditKeys: AuditKeys): CheckProof => {
  const keys = keysById(auditKeys);
  return (content, proof, place) => {
    const key = keys.get(proof.keyId);
    if (key === undefined) return 'unknown key';
    const dataHash = content.dataHash ?? dataHashOf(key, dataTextOf(content.data));
    const expected = Buffer.from(macOf(key, place, content, dataHash), 'base64url');
    const found = Buffer.from(proof.mac, 'base64url');
    return found.length === expected.length && timingSafeEqual(found, expected) ? 'sound' : 'not authentic';
  };
};

/** With the hash of its data, the proof of an event can be checked where a part of the data is withheld. */
export type HashData = (event: NewEvent) => string | undefined;

/** Undefined for an event without a proof, or whose key is unknown. */
export const createDataHash = (auditKeys: AuditKeys): HashData => {
  const keys = keysById(auditKeys);
  return ({ data, metadata: { proof } }) => {
    const key = proof && keys.get(proof.keyId);
    return key && dataHashOf(key, dataTextOf(data));
  };
};
