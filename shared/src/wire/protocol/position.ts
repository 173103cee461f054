import { hash } from 'node:crypto';
import { annotated, text, type Schema } from '../schema.js';

/** Where a message stands among those of its room: a later one has a higher offset, or a higher epoch. */
export interface Place {
  /** Unix milliseconds at which the numbering began: another one begins where the former was lost. */
  readonly epoch: number;
  readonly offset: number;
  /** Of a deletion, which stands behind what has this offset and before what has the next one. */
  readonly isDeletion?: true;
}

/** What a position is a position of. A room that is made anew under its former address is another one, as is a room under another address. */
export interface PositionedTopic {
  /** Internal: the room, whose messages have one order. */
  readonly room: string;
  readonly roomId: string;
  readonly accessScopeId: string | null;
  /** Within the room. */
  readonly name: string;
}

/** Names the topic, and no other. What is made from it is stored: it must never change. */
export const identityOf = ({ room, roomId, accessScopeId, name }: PositionedTopic): string =>
  `${roomId}/${accessScopeId ?? ''}/${name}/${room}`;

/** Enough digits in base 36 for any number that is exact. */
const epochDigits = 9;
const offsetDigits = 11;
const checkLength = 10;

export const maxPositionLength = 64;
/** Of what could be a position at all; the empty one is the beginning. */
export const positionPattern = /^[0-9A-Za-z._-]*$/;
/** Behind the offset. As text the one sorts before the other. */
const [messageEnd, deletionEnd] = ['-', '.'];
const ourPosition = new RegExp(
  `^([0-9a-z]{${epochDigits}})-([0-9a-z]{${offsetDigits}})([-.])([0-9A-Za-z_-]{${checkLength}})$`,
);

/** [WS-HIST-2] Text that sorts as the places do. Its check is of the topic and the place, so that none is taken for another's. */
export const positionOf = (topic: PositionedTopic, place: Place): string => {
  const end = place.isDeletion ? deletionEnd : messageEnd;
  const text = `${digits(place.epoch, epochDigits)}-${digits(place.offset, offsetDigits)}${end}`;
  return `${text}${checkOf(topic, text)}`;
};

/** Whether it could be a position at all. */
export const isPosition = (position: string): boolean =>
  position.length <= maxPositionLength && positionPattern.test(position);

/** The empty one is before every message. */
export const positionText: Schema<string> = {
  json: annotated({ maxLength: maxPositionLength, pattern: positionPattern.source }, text).json,
  is: (value): value is string => typeof value === 'string' && isPosition(value),
};

/** Undefined for a position that was never given for this topic. */
export const placeOf = (topic: PositionedTopic, position: string): Place | undefined => {
  const [, epoch = '', offset = '', end = '', check] = ourPosition.exec(position) ?? [];
  if (check === undefined || check !== checkOf(topic, `${epoch}-${offset}${end}`)) return undefined;
  const place = { epoch: Number.parseInt(epoch, 36), offset: Number.parseInt(offset, 36) };
  return end === deletionEnd ? { ...place, isDeletion: true } : place;
};

/** Negative where the first is the earlier one. */
export const comparePlaces = (one: Place, other: Place): number =>
  one.epoch - other.epoch ||
  one.offset - other.offset ||
  Number(one.isDeletion ?? false) - Number(other.isDeletion ?? false);

const digits = (value: number, length: number): string => value.toString(36).padStart(length, '0');

const checkOf = (topic: PositionedTopic, text: string): string =>
  hash('sha256', `${identityOf(topic)}/${text}`, 'base64url').slice(0, checkLength);
