import { liveMessage } from '@roomwire/testing/builders/liveMessage';
import type { HistoryTopic, HistoryView, KeptMessage } from '../../src/ports/history.js';
import type { KeptMeta, LiveMessage } from '../../src/wire/bus/liveMessage.js';

export const kept: KeptMeta = {
  appId: 'app-id',
  roomId: 'room-id',
  accessScopeId: null,
  seconds: 3_600,
  messages: 1_000,
};

export const room = 'project/app/_/room';
export const topicNamed = (name: string): HistoryTopic => ({
  room,
  roomId: kept.roomId,
  accessScopeId: null,
  name,
});

/** In the order of their numbers. */
export const idOf = (n: number): string => `${(1_700_000_000_000 + n).toString(36).padStart(9, '0')}0000.g`;

export const keptMessage = (n: number, name = 'news', fields: Partial<LiveMessage> = {}): LiveMessage =>
  liveMessage({ id: idOf(n), room, topic: `${room}/${name}`, kept, ...fields });

export const otherMessage = (n: number, fields: Partial<LiveMessage> = {}): LiveMessage =>
  keptMessage(n, 'news', { kept: undefined, ...fields });

export const gathered = async (
  pages: AsyncIterable<readonly KeptMessage[]>,
): Promise<readonly KeptMessage[]> => {
  const all: KeptMessage[] = [];
  for await (const page of pages) all.push(...page);
  return all;
};

export const idsIn = async (view: HistoryView): Promise<readonly string[]> =>
  (await gathered(view.oldestFirst())).map(({ message }) => message.id);
