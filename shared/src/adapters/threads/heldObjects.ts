import type { ThreadLink } from './threadLink.js';

/** Objects that another thread reads from, by number, until it has forgotten them. */
export class HeldObjects<T> {
  private readonly held = new Map<number, T>();
  private lastId = 0;

  hold(object: T): number {
    const id = (this.lastId += 1);
    this.held.set(id, object);
    return id;
  }

  get(id: number): T {
    const object = this.held.get(id);
    if (object === undefined) throw new TypeError(`Nothing is held as ${id}`);
    return object;
  }

  forget(id: number): void {
    this.held.delete(id);
  }
}

/**
 * Tells the thread that holds an object when nobody here can read from it any more. The ports have no method for it, since within one
 * thread the collector does the same.
 */
export const createForgetting = (
  link: ThreadLink,
  service: string,
): ((proxy: object, id: number) => void) => {
  const registry = new FinalizationRegistry<number>((id) => link.tell(service, 'forget', id));
  return (proxy, id) => registry.register(proxy, id);
};
