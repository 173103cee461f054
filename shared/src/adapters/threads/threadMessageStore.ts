import type { MessageStore, RecordedMessage, Replay, ReplayRange } from '../../ports/messageStore.js';
import type { LiveMessage } from '../../wire/bus/liveMessage.js';
import type { RetentionClass } from '../../wire/bus/recordedMessages.js';
import { createForgetting, HeldObjects } from './heldObjects.js';
import type { ThreadLink } from './threadLink.js';

type Page = readonly RecordedMessage[];

/** The message store of this thread, for another one. */
export const serveMessageStore = (link: ThreadLink, store: MessageStore): void => {
  const replays = new HeldObjects<AsyncIterator<Page>>();
  link.serve('messageStore', {
    append: (message: LiveMessage, retention: RetentionClass) => store.append(message, retention),
    replay: async (topic: string, range: ReplayRange) => {
      const { count, pages } = await store.replay(topic, range);
      return { count, id: replays.hold(pages[Symbol.asyncIterator]()) };
    },
    page: (id: number) => replays.get(id).next(),
    forget: async (id: number) => {
      const pages = replays.get(id);
      replays.forget(id);
      await pages.return?.();
    },
  });
};

/** The message store of another thread. */
export class ThreadMessageStore implements MessageStore {
  private readonly link: ThreadLink;
  private readonly forgetLater: (pages: object, id: number) => void;

  constructor(link: ThreadLink) {
    this.link = link;
    this.forgetLater = createForgetting(link, 'messageStore');
  }

  append(message: LiveMessage, retention: RetentionClass): Promise<void> {
    return this.call('append', message, retention);
  }

  async replay(internalTopic: string, range: ReplayRange): Promise<Replay> {
    const { count, id } = await this.call<{ count: number; id: number }>('replay', internalTopic, range);
    const next = (): Promise<IteratorResult<Page>> => this.call('page', id);
    const iterator: AsyncIterator<Page> = { next };
    const pages: AsyncIterable<Page> = { [Symbol.asyncIterator]: () => iterator };
    // Whoever reads has the iterator, and no longer the pages.
    this.forgetLater(iterator, id);
    return { count, pages };
  }

  async close(): Promise<void> {}

  private call<T>(method: string, ...given: readonly unknown[]): Promise<T> {
    return this.link.callPort<T>('message store', 'messageStore', method, ...given);
  }
}
