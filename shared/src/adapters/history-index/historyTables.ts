import type { Buffer } from 'node:buffer';
import type { Database } from 'lmdb';
import type { KeptMessage } from '../../ports/history.js';
import type { IndexedPartition } from '../../ports/historyIndex.js';
import { liveMessages } from '../../wire/bus/liveMessage.js';
import type { Place } from '../../wire/protocol/position.js';
import { openDurableEnvironment, type DurableEnvironment } from '../lmdb/durableEnvironment.js';
import { FollowProgress } from '../lmdb/followProgress.js';
import type { Standing } from './intake.js';
import type { OwnedTopic } from './keptTopics.js';

/** The layout of the tables; incremented with every change that an older version would misread. */
const dataFormat = 1;

export type MessageKey = [topicKey: string, epoch: number, offset: number];

/** All that is known of a topic but its messages. */
export interface TopicEntry extends OwnedTopic {
  readonly seconds: number;
  readonly messages: number;
  readonly newest?: Standing | undefined;
  /** Ordinal of the oldest message that is stored; undefined where none is. */
  readonly oldest?: number | undefined;
  readonly removedTo?: Place | undefined;
  readonly deletedTo?: Place | undefined;
  /** Where something may have to be removed from then on: the key of its entry in `due`. */
  readonly dueAt?: number | undefined;
}

/** All tables are in one LMDB environment. */
export interface HistoryTables {
  readonly environment: DurableEnvironment;
  readonly messages: Database<Buffer, MessageKey>;
  readonly topics: Database<TopicEntry, string>;
  /** The topics of each project, app, room and scope. */
  readonly owned: Database<string, [owner: string, topicKey: string]>;
  readonly due: Database<string, [dueAt: number, topicKey: string]>;
  readonly partitions: Database<IndexedPartition, number>;
  /** Owners that were removed, and when. */
  readonly removed: Database<number, string>;
  readonly removals: Database<string, [removedAt: number, owner: string]>;
  readonly state: Database<string, 'dataFormat' | 'checkpoint' | 'origin'>;
  readonly progress: FollowProgress;
}

export const openHistoryTables = async (path: string): Promise<HistoryTables> => {
  const environment = openDurableEnvironment(path);
  const { root } = environment;
  try {
    const state: HistoryTables['state'] = root.openDB('state', { encoding: 'string' });
    const tables: HistoryTables = {
      environment,
      messages: root.openDB('messages', { encoding: 'binary' }),
      topics: root.openDB('topics', { encoding: 'json' }),
      owned: root.openDB('owned', { encoding: 'string' }),
      due: root.openDB('due', { encoding: 'string' }),
      partitions: root.openDB('partitions', { encoding: 'json' }),
      removed: root.openDB('removed', { encoding: 'ordered-binary' }),
      removals: root.openDB('removals', { encoding: 'string' }),
      state,
      progress: new FollowProgress(state),
    };
    await requireDataFormat(tables, path);
    return tables;
  } catch (error) {
    await environment.close();
    throw error;
  }
};

const requireDataFormat = async ({ environment, state }: HistoryTables, path: string): Promise<void> => {
  const found = state.get('dataFormat');
  const known = String(dataFormat);
  if (found === undefined) await environment.transact(() => state.putSync('dataFormat', known));
  else if (found !== known)
    throw new Error(
      `The message history ${path} has data format ${found}; this program knows format ${known}`,
    );
};

/** Sorts behind every number and text. */
export const afterAll = new Uint8Array([0xff]) as unknown as number;

/** All keys of a topic. */
export const keysOf = (topicKey: string): { readonly start: MessageKey; readonly end: MessageKey } => ({
  start: [topicKey, 0, 0],
  end: [topicKey, afterAll, 0],
});

/** All keys of an owner. */
export const keysOfOwner = (owner: string, after = '') => ({
  start: [owner, after] as [string, string],
  end: [owner, afterAll] as unknown as [string, string],
  exclusiveStart: true,
});

/** Of what stands before the message itself: its ordinal and `latestAt`. */
export const headerLength = 16;

/** Returns the same value. */
export const withHeader = (value: Buffer, { ordinal, latestAt }: Standing): Buffer => {
  value.writeDoubleBE(ordinal, 0);
  value.writeDoubleBE(latestAt, 8);
  return value;
};

export const headerOf = ([, epoch, offset]: MessageKey, value: Buffer): Standing => ({
  place: { epoch, offset },
  ordinal: value.readDoubleBE(0),
  latestAt: value.readDoubleBE(8),
});

export const keptMessage = (key: MessageKey, value: Buffer): KeptMessage => ({
  ...headerOf(key, value),
  message: liveMessages.codec.decode(value.subarray(headerLength)),
});
