import { createHash } from 'node:crypto';
import type { SourceRecord } from './sourceRecord.js';
import { readTemplate } from './template.js';
import { valueKinds, type ValueKind } from './recordValues.js';

export interface MappingOptions {
  /** The Kafka topic. */
  readonly topic: string;
  /** Template of the address: `app-slug/room-slug/topic`. */
  readonly to: string;
  readonly value: ValueKind;
  /** Template of the filter; a record that has not got what it asks for has none. */
  readonly filter?: string;
}

/** A message as JSON, or why there can be none. */
export type Mapped = { readonly json: string } | { readonly why: string };

export type RecordMapping = (record: SourceRecord & { readonly value: Uint8Array }) => Mapped;

/** Throws `TypeError` for a template that is none. */
export const createRecordMapping = ({ topic, to, value, filter }: MappingOptions): RecordMapping => {
  const address = readTemplate(to);
  const filterOf = filter === undefined ? undefined : readTemplate(filter);
  const slashes = slashesIn(to);
  if (slashes !== 2) throw new TypeError(`${to} is no address app/room/topic`);
  const name = nameInIds(topic);
  return (record) => {
    const target = address.of(record);
    if (target === undefined) return { why: `it has no key or header, as text, for ${to}` };
    // A key with a slash would choose another room.
    if (slashesIn(target) !== slashes) return { why: `${target} is no address app/room/topic` };
    const read = readValue(record.value, value);
    if (read === undefined) return { why: `its value is not ${value}` };
    const id = `${name}:${record.partition}:${record.offset}`;
    return { json: JSON.stringify({ topic: target, ...read, filter: filterOf?.of(record), id }) };
  };
};

const readValue = (value: Uint8Array, kind: ValueKind): object | undefined => {
  try {
    return valueKinds[kind](value);
  } catch {
    return undefined;
  }
};

const slashesIn = (text: string): number => text.split('/').length - 1;

const longestName = 90;

/** Names of topics may be longer than an id. */
const nameInIds = (topic: string): string =>
  topic.length <= longestName ? topic : createHash('sha256').update(topic).digest('hex');
