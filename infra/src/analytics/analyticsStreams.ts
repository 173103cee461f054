import { join } from 'node:path';
import type { FactStream } from './facts/factStream.js';
import { messageFacts } from './facts/messageFacts.js';
import { outcomeFacts } from './facts/outcomeFacts.js';
import { FactFolder } from './store/factFolder.js';

export interface StreamFiles {
  readonly stream: FactStream;
  readonly folder: FactFolder;
}

/** The streams that are kept, each in a folder of its name. */
export const analyticsStreams = (dir: string, withPayloads: boolean): readonly StreamFiles[] =>
  [messageFacts(withPayloads), outcomeFacts].map((stream) => ({
    stream,
    folder: new FactFolder(join(dir, stream.name)),
  }));
