/** A store that a contract suite may close and open again on what it has kept. */
export interface Reopenable<Store> {
  readonly store: Store;
  /** By a program that keeps another version of it, where versions differ; by default this one's. */
  readonly reopen: (version?: number) => Promise<Store>;
  /** Closes the store that is open, and does away with what it has kept. */
  readonly dispose: () => Promise<void>;
}

export const reopenable = async <Store extends { close(): Promise<void> }>(
  open: (version?: number) => Promise<Store>,
  discard: () => Promise<void>,
): Promise<Reopenable<Store>> => {
  let store = await open();
  return {
    store,
    reopen: async (version) => {
      await store.close();
      store = await open(version);
      return store;
    },
    dispose: async () => {
      await store.close();
      await discard();
    },
  };
};
