import type { Client } from '@roomwire/sdk';

/**
 * A state outside of React that is kept up to date while somebody watches it. Components that watch the same share one, so that there is one
 * subscription on the wire; and strict mode, which mounts twice, opens it once.
 */
export abstract class Feed<State> {
  readonly initial: State;
  /** Called when it opens, and with `false` when it has closed. */
  onUse: (isOpen: boolean) => void = () => undefined;
  private state: State;
  private readonly listeners = new Set<() => void>();
  private close: (() => void) | undefined;
  private closings = 0;

  constructor(initial: State) {
    this.initial = initial;
    this.state = initial;
  }

  readonly snapshot = (): State => this.state;

  readonly snapshotOnServer = (): State => this.initial;

  readonly watch = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    if (this.close === undefined) {
      this.close = this.open();
      this.onUse(true);
    }
    return () => {
      this.listeners.delete(listener);
      // Who unmounts and mounts again at once, or hands over to another component, does not end it.
      queueMicrotask(() => this.closeUnwatched());
    };
  };

  /** Begins to keep the state up to date; what it returns ends that. */
  protected abstract open(): () => void;

  /** Changes nothing while it is closed. */
  protected change(change: Partial<State>): void {
    if (this.close === undefined) return;
    this.state = { ...this.state, ...change };
    for (const listener of [...this.listeners]) listener();
  }

  /** Says, when it is called, whether the feed has been closed since: what began before that is not for those who watch it anew. */
  protected closedSince(): () => boolean {
    const { closings } = this;
    return () => this.closings !== closings;
  }

  private closeUnwatched(): void {
    if (this.listeners.size > 0 || this.close === undefined) return;
    this.close();
    this.close = undefined;
    this.closings += 1;
    this.state = this.initial;
    this.onUse(false);
  }
}

const feeds = new WeakMap<Client, Map<string, Feed<unknown>>>();

/** The feed of a client for a key, which says its kind and all that it is made of; another one after it has closed. */
export const feedOf = <Kind extends Feed<unknown>>(
  client: Client,
  key: readonly unknown[],
  make: () => Kind,
): Kind => {
  const ofClient = feeds.get(client) ?? new Map<string, Feed<unknown>>();
  feeds.set(client, ofClient);
  const name = JSON.stringify(key);
  const known = ofClient.get(name);
  if (known !== undefined) return known as Kind;
  const feed = make();
  ofClient.set(name, feed);
  feed.onUse = (isOpen) => {
    // A component that was hidden opens the one that it had, and meanwhile another may have taken its place.
    if (isOpen && !ofClient.has(name)) ofClient.set(name, feed);
    if (!isOpen && ofClient.get(name) === feed) ofClient.delete(name);
  };
  return feed;
};
