import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Database } from 'lmdb';
import { openDurableEnvironment, type DurableEnvironment } from '../lmdb/durableEnvironment.js';

/** How the tables are laid out; goes up with every change that an older program would misread. */
const dataFormat = 1;

/** All that is needed to find the messages of a time, so that no message is read to be passed over. */
export type MessageKey = [topic: string, sequence: number, recordedAt: number, expiresAt: number];

/** The tables of the record, all in one LMDB environment. */
export interface RecordTables {
  readonly environment: DurableEnvironment;
  readonly messages: Database<Buffer, MessageKey>;
  /** What expires when: the key of the message. */
  readonly expiries: Database<MessageKey, [expiresAt: number, sequence: number]>;
  /** `sequence`: the last one that was given to a message. */
  readonly meta: Database<number, string>;
}

export const openRecordTables = async (path: string): Promise<RecordTables> => {
  const environment = openDurableEnvironment(path);
  const { root } = environment;
  try {
    const meta = root.openDB<number, string>('meta', { encoding: 'ordered-binary' });
    await requireDataFormat(environment, meta, path);
    return {
      environment,
      messages: root.openDB('messages', { encoding: 'binary' }),
      expiries: root.openDB('expiries', { encoding: 'ordered-binary' }),
      meta,
    };
  } catch (error) {
    await environment.close();
    throw error;
  }
};

const requireDataFormat = async (
  environment: DurableEnvironment,
  meta: Database<number, string>,
  path: string,
): Promise<void> => {
  const found = meta.get('dataFormat');
  if (found === undefined) await environment.transact(() => meta.putSync('dataFormat', dataFormat));
  else if (found !== dataFormat) {
    throw new Error(
      `The message record ${path} has data format ${found}; this program knows format ${dataFormat}`,
    );
  }
};

/** Of one length, because LMDB's keys are short, and an internal topic may be long. */
export const topicKey = (internalTopic: string): string =>
  createHash('sha256').update(internalTopic).digest('base64url');
