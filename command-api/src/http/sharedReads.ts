import type { ViewQuery, ViewReader } from '@roomwire/shared/ports/viewStore';
import type { ViewName, Views } from '@roomwire/shared/wire/views/views';

interface Read {
  readonly running: Promise<unknown>;
  /** Of those who have asked since it began. */
  next: Promise<unknown> | undefined;
}

type Reads = Pick<ViewReader, 'get' | 'find'>;

const settled = (): void => undefined;

/**
 * The same reads, of which the same one is on its way once at a time: those who ask for it meanwhile share the next. Nothing is remembered:
 * what anybody gets was read after it was asked for.
 */
export const sharedReads = (views: Reads): Reads => {
  const reads = new Map<string, Read>();

  const begin = <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const running = read();
    const begun: Read = { running, next: undefined };
    reads.set(key, begun);
    const end = (): void => {
      if (begun.next === undefined) reads.delete(key);
    };
    running.then(end, end);
    return running;
  };

  const share = <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const known = reads.get(key);
    if (known === undefined) return begin(key, read);
    known.next ??= known.running.then(settled, settled).then(() => begin(key, read));
    return known.next as Promise<T>;
  };

  return {
    get: <V extends ViewName>(view: V, id: string): Promise<Views[V] | undefined> =>
      share(`${view} ${id}`, () => views.get(view, id)),
    find: <V extends ViewName>(view: V, query: ViewQuery): Promise<Views[V][]> =>
      share(`${view}? ${JSON.stringify(query)}`, () => views.find(view, query)),
  };
};
