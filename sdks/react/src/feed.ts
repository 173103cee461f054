import type { Client } from '@roomwire/sdk';

/**
 * A state outside of React that is kept up to date while somebody watches it. Components that watch the same share one, so that there is one
 * subscription on the wire; and strict mode, which mounts twice, opens it once.
 */
export abstract class Feed<State> {
  readonly initial: State;
  private state: State;
  private readonly listeners = new Set<() => void>();
  private close: (() => void) | undefined;

  constructor(initial: State) {
    this.initial = initial;
    this.state = initial;
  }

  readonly snapshot = (): State => this.state;

  readonly snapshotOnServer = (): State => this.initial;

  readonly watch = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    this.close ??= this.open();
    return () => {
      this.listeners.delete(listener);
      // Who unmounts and mounts again at once, or hands over to another component, does not end it.
      queueMicrotask(() => this.closeUnwatched());
    };
  };

  /** Begins to keep the state up to date; what it returns ends that. */
  protected abstract open(): () => void;

  protected change(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    for (const listener of [...this.listeners]) listener();
  }

  private closeUnwatched(): void {
    if (this.listeners.size > 0 || this.close === undefined) return;
    this.close();
    this.close = undefined;
    this.state = this.initial;
  }
}

const feeds = new WeakMap<Client, Map<string, object>>();

/** The feed of a client for a key, which says its kind and all that it is made of. One that nobody watches takes little memory. */
export const feedOf = <Kind extends object>(
  client: Client,
  key: readonly unknown[],
  make: () => Kind,
): Kind => {
  const ofClient = feeds.get(client) ?? new Map<string, object>();
  feeds.set(client, ofClient);
  const name = JSON.stringify(key);
  const feed = (ofClient.get(name) as Kind | undefined) ?? make();
  ofClient.set(name, feed);
  return feed;
};
