import type {
  History,
  HistoryOwners,
  HistoryTopic,
  HistoryView,
  KeptMessage,
  Removals,
} from '../../ports/history.js';
import type { Place } from '../../wire/protocol/position.js';
import { createForgetting, HeldObjects } from './heldObjects.js';
import type { ThreadLink } from './threadLink.js';

type Direction = 'newestFirst' | 'oldestFirst';
type Page = readonly KeptMessage[];

interface Looked extends Pick<HistoryView, 'epoch' | 'upTo' | 'newest' | 'removedTo' | 'deletedTo'> {
  readonly id: number;
  /** Of messages that are published now. */
  readonly epochNow: number | undefined;
}

/** The history of this thread, for another one. A page that is asked for is the one behind the last place of the page before. */
export const serveHistory = (link: ThreadLink, history: History): void => {
  const views = new HeldObjects<HistoryView>();
  link.serve('history', {
    look: async (topic: HistoryTopic): Promise<Looked> => {
      const view = await history.look(topic);
      const { epoch, upTo, newest, removedTo, deletedTo } = view;
      const epochNow = history.epochOf(topic.room);
      return { ...{ epoch, upTo, newest, removedTo, deletedTo, epochNow }, id: views.hold(view) };
    },
    removals: async (id: number): Promise<Removals> => {
      // What is returned may have more to it, which cannot be cloned.
      const { removedTo, deletedTo } = await views.get(id).removals();
      return { removedTo, deletedTo };
    },
    page: (id: number, direction: Direction, from: Place | undefined) =>
      firstPage(views.get(id)[direction](from)),
    forget: (id: number) => views.forget(id),
    indexed: () => history.indexed(),
    deleteTopic: (topic: HistoryTopic, owners: HistoryOwners, to: Place) =>
      history.deleteTopic(topic, owners, to),
  });
};

/** Undefined at the end. */
const firstPage = async (pages: AsyncIterable<Page>): Promise<Page | undefined> => {
  for await (const page of pages) if (page.length > 0) return page;
  return undefined;
};

/** The history of another thread. */
export class ThreadHistory implements History {
  private readonly link: ThreadLink;
  private readonly forgetLater: (view: object, id: number) => void;
  /** The bus of one process has one epoch for all rooms, for as long as it runs. */
  private epoch: number | undefined;

  constructor(link: ThreadLink) {
    this.link = link;
    this.forgetLater = createForgetting(link, 'history');
  }

  async look(topic: HistoryTopic): Promise<HistoryView> {
    const { id, epochNow, ...found } = await this.call<Looked>('look', topic);
    this.epoch = epochNow;
    const view: HistoryView = {
      ...found,
      removals: () => this.call<Removals>('removals', id),
      newestFirst: (before) => this.pages(view, id, 'newestFirst', before),
      oldestFirst: (after) => this.pages(view, id, 'oldestFirst', after),
    };
    this.forgetLater(view, id);
    return view;
  }

  epochOf(): number | undefined {
    return this.epoch;
  }

  indexed(): Promise<void> {
    return this.call('indexed');
  }

  deleteTopic(topic: HistoryTopic, owners: HistoryOwners, to: Place): Promise<void> {
    return this.call('deleteTopic', topic, owners, to);
  }

  /** Takes the view along, so that it is not forgotten meanwhile. */
  private async *pages(
    view: HistoryView,
    id: number,
    direction: Direction,
    from: Place | undefined,
  ): AsyncGenerator<Page, HistoryView> {
    for (let place = from; ;) {
      const page = await this.call<Page | undefined>('page', id, direction, place);
      if (page === undefined) return view;
      yield page;
      place = page.at(-1)?.place;
    }
  }

  private call<T>(method: string, ...given: readonly unknown[]): Promise<T> {
    return this.link.callPort<T>('message history', 'history', method, ...given);
  }
}
