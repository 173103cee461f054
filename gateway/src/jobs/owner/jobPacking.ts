import { Buffer } from 'node:buffer';
import { Encoder, decode } from '@msgpack/msgpack';
import type { JobGroupRecord } from '@roomwire/shared/ports/jobStore';
import { keptFrom, keptText } from '@roomwire/shared/wire/bus/keptMeta';
import type { LiveMessage, RetainedMeta } from '@roomwire/shared/wire/bus/liveMessage';
import type { Qos } from '@roomwire/shared/wire/protocol/messageOptions';

/** What few messages have. */
type Rest = readonly [
  filters: readonly string[],
  retention: RetainedMeta | null,
  kept: string | null,
  place: readonly [epoch: number, offset: number] | null,
  traceparent: string | null,
];

const encoder = new Encoder();

const qosMask = 0x03;
const hasRest = 0x04;
const textsAt = 3;
const lengthBytes = 4;
const noFilters: readonly string[] = [];

/**
 * The message of a job as it is stored: without what all of its group have in common, and read in one pass. First the QoS and whether there is a
 * rest; the lengths of the id and of the publisher, and both; the rest, after its length; then the body.
 */
export class JobPacking {
  private readonly common: Pick<LiveMessage, 'room' | 'topic' | 'projectId'>;

  constructor({ room, topic, owners }: Pick<JobGroupRecord, 'room' | 'topic' | 'owners'>) {
    this.common = { room, topic, projectId: owners.projectId };
  }

  pack(message: LiveMessage): Uint8Array {
    const { id, publisher, qos, body } = message;
    const rest = restOf(message);
    const [idBytes, publisherBytes] = [Buffer.byteLength(id), Buffer.byteLength(publisher)];
    const restBytes = rest === undefined ? 0 : lengthBytes + rest.length;
    const packed = Buffer.allocUnsafe(textsAt + idBytes + publisherBytes + restBytes + body.length);
    packed[0] = rest === undefined ? qos : qos | hasRest;
    packed[1] = idBytes;
    packed[2] = publisherBytes;
    packed.write(id, textsAt);
    packed.write(publisher, textsAt + idBytes);
    let at = textsAt + idBytes + publisherBytes;
    if (rest !== undefined) {
      packed.writeUInt32LE(rest.length, at);
      packed.set(rest, at + lengthBytes);
      at += restBytes;
    }
    packed.set(body, at);
    return packed;
  }

  unpack(stored: Uint8Array): LiveMessage {
    const packed = stored as Buffer;
    const [flags = 0, idBytes = 0, publisherBytes = 0] = packed;
    const publisherAt = textsAt + idBytes;
    const restAt = publisherAt + publisherBytes;
    const hasNoRest = (flags & hasRest) === 0;
    const bodyAt = hasNoRest ? restAt : restAt + lengthBytes + packed.readUInt32LE(restAt);
    const { room, topic, projectId } = this.common;
    const message: LiveMessage = {
      id: packed.toString('utf8', textsAt, publisherAt),
      room,
      topic,
      projectId,
      publisher: packed.toString('utf8', publisherAt, restAt),
      qos: (flags & qosMask) as Qos,
      filters: noFilters,
      body: packed.subarray(bodyAt),
      retention: undefined,
    };
    return hasNoRest ? message : { ...message, ...fieldsOf(packed.subarray(restAt + lengthBytes, bodyAt)) };
  }
}

const restOf = ({ filters, retention, kept, place, traceparent }: LiveMessage): Uint8Array | undefined => {
  if (filters.length === 0 && !retention && !kept && !traceparent) return undefined;
  const rest: Rest = [
    filters,
    retention ?? null,
    kept ? keptText(kept) : null,
    place ? [place.epoch, place.offset] : null,
    traceparent ?? null,
  ];
  return encoder.encode(rest);
};

const fieldsOf = (encoded: Uint8Array): Partial<LiveMessage> => {
  const [filters, retention, kept, place, traceparent] = decode(encoded) as Rest;
  return {
    filters,
    retention: retention ?? undefined,
    ...(kept !== null && { kept: keptFrom(kept) }),
    ...(place !== null && { place: { epoch: place[0], offset: place[1] } }),
    ...(traceparent !== null && { traceparent }),
  };
};
