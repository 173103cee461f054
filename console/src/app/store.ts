import { useSyncExternalStore } from 'react';

/** A value that components follow, and that others than components may set. */
export interface Store<T> {
  readonly get: () => T;
  readonly set: (value: T) => void;
  readonly follow: (onChange: () => void) => () => void;
}

export const createStore = <T>(initial: T): Store<T> => {
  let current = initial;
  const followers = new Set<() => void>();
  return {
    get: () => current,
    set: (value) => {
      if (Object.is(value, current)) return;
      current = value;
      for (const follower of [...followers]) follower();
    },
    follow: (onChange) => {
      followers.add(onChange);
      return () => void followers.delete(onChange);
    },
  };
};

export const useStore = <T>({ get, follow }: Store<T>): T => useSyncExternalStore(follow, get);
