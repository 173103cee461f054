import type { IndexedRecord } from '../../ports/historyIndex.js';
import type { Logger } from '../../ports/logger.js';
import { keptHeader } from '../../wire/bus/keptMeta.js';
import { liveMessages } from '../../wire/bus/liveMessage.js';
import type { StoredRecord } from '../message-bus/kafka/kafkaClient.js';
import { headerOf, withCarried } from '../message-bus/kafka/recordFormat.js';

/** Undefined for a record that is not kept, and for one that cannot be read, which would not become readable. */
export const keptRecordOf = (
  { offset, value, headers }: StoredRecord,
  logger: Logger | undefined,
): IndexedRecord | undefined => {
  if (headerOf(headers, keptHeader) === undefined) return undefined;
  const { codec, carried = [] } = liveMessages;
  try {
    const message = withCarried(carried, codec.decode(value ?? new Uint8Array()), headers);
    return message.kept && { offset: Number(offset), message };
  } catch (error) {
    logger?.error('A message of a topic with history cannot be read', { offset, error });
    return undefined;
  }
};
