import type { HistoryTopic, KeptMessage } from '@roomwire/shared/ports/history';
import type { HistoryIndex, IndexedRecord } from '@roomwire/shared/ports/historyIndex';
import { countDigits, timeDigits } from '@roomwire/shared/wire/bus/messageId';
import type { KeptMeta, LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { Place } from '@roomwire/shared/wire/protocol/position';
import { liveMessage } from '../../builders/liveMessage.js';

export const epoch = 1_760_000_000_000;
export const owners = { projectId: 'project', appId: 'app' };

export const historyTopic = (name = 'news', fields: Partial<HistoryTopic> = {}): HistoryTopic => ({
  ...{ room: 'project/app/_/room', roomId: 'room', accessScopeId: null, name },
  ...fields,
});

export const idAt = (at: number, count: number, given?: string): string => {
  const id = `${at.toString(36).padStart(timeDigits, '0')}${count.toString(36).padStart(countDigits, '0')}.gateway`;
  return given === undefined ? id : `${id}~${given}`;
};

export interface KeptFields extends Partial<KeptMeta> {
  readonly topic?: HistoryTopic;
  readonly projectId?: string;
  readonly body?: Uint8Array;
}

export const kept = (id: string, fields: KeptFields = {}): LiveMessage => {
  const { topic = historyTopic(), projectId = 'project', body = Uint8Array.of(0x80), ...meta } = fields;
  const { room, roomId, accessScopeId, name } = topic;
  const bounds = { seconds: 86_400, messages: 1_000 };
  return liveMessage({
    ...{ id, room, topic: `${room}/${name}`, projectId, body },
    kept: { appId: 'app', roomId, accessScopeId, ...bounds, ...meta },
  });
};

/** Appends records, and moves the partition behind the last one. */
export const appendAll = (index: HistoryIndex, records: readonly IndexedRecord[], partition = 1) =>
  index.append(partition, records, { epoch, next: (records.at(-1)?.offset ?? -1) + 1 });

export const placeAt = (offset: number): Place => ({ epoch, offset });

export const gathered = async (
  pages: AsyncIterable<readonly KeptMessage[]>,
): Promise<readonly KeptMessage[]> => {
  const found: KeptMessage[] = [];
  for await (const page of pages) found.push(...page);
  return found;
};

export const offsetsIn = async (pages: AsyncIterable<readonly KeptMessage[]>): Promise<readonly number[]> =>
  (await gathered(pages)).map(({ place }) => place.offset);

/** All messages of a topic, the oldest first. */
export const offsetsOf = async (index: HistoryIndex, topic = historyTopic()): Promise<readonly number[]> =>
  offsetsIn((await index.topic(topic)).oldestFirst());
