import type { Database } from 'lmdb';
import { openDurableEnvironment, type DurableEnvironment } from '../lmdb/durableEnvironment.js';

/** How the tables are laid out; goes up with every change that an older program would misread. */
const dataFormat = 1;

/** The tables of the log, all in one LMDB environment. */
export interface EventTables {
  readonly environment: DurableEnvironment;
  /** Sequence in the whole log, from 1 on, to the stored event. */
  readonly events: Database<string, number>;
  /** Stream and revision to sequence. */
  readonly streams: Database<number, [stream: string, revision: number]>;
  /** Stream to the revision of its last event. */
  readonly heads: Database<number, string>;
}

export const openEventTables = async (path: string): Promise<EventTables> => {
  const environment = openDurableEnvironment(path);
  const { root } = environment;
  try {
    await requireDataFormat(environment, path);
    return {
      environment,
      events: root.openDB('events', { encoding: 'string' }),
      streams: root.openDB('streams', { encoding: 'ordered-binary' }),
      heads: root.openDB('heads', { encoding: 'ordered-binary' }),
    };
  } catch (error) {
    await environment.close();
    throw error;
  }
};

const requireDataFormat = async (environment: DurableEnvironment, path: string): Promise<void> => {
  const meta = environment.root.openDB<number, string>('meta', { encoding: 'ordered-binary' });
  const found = meta.get('dataFormat');
  if (found === undefined) await environment.transact(() => meta.putSync('dataFormat', dataFormat));
  else if (found !== dataFormat) {
    throw new Error(
      `The event log ${path} has data format ${found}; this program knows format ${dataFormat}`,
    );
  }
};

/** 0 for an empty log. */
export const lastSequence = ({ events }: EventTables): number => {
  for (const sequence of events.getKeys({ reverse: true, limit: 1 })) return sequence;
  return 0;
};
