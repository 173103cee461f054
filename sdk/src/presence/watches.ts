import { isLoss, RoomwireError } from '../errors.js';

/** What a client watches. */
export interface Watch {
  /** Stops the handler at once. Resolves when the server has confirmed, or can no longer do so. May be called again. */
  stop(): Promise<void>;
}

export interface WatchesContext {
  isOnline(): boolean;
  onError(error: RoomwireError): void;
}

/** How the server is asked, and told that it need not say more. `begin` and `end` reject with what `Requests` rejects with. */
export interface WatchRequests {
  /** As `Requests` does. */
  persist(ask: () => Promise<unknown>): Promise<void>;
  begin(id: string): Promise<unknown>;
  end(id: string): Promise<unknown>;
}

/** Things of one kind that the client watches, each with one handler, over all connections. */
export class Watches<Event> {
  private readonly context: WatchesContext;
  private readonly about: (id: string) => { lobbyId: string } | { topic: string };
  private readonly requests: WatchRequests;
  private readonly handlers = new Map<string, (event: Event) => void>();

  constructor(
    context: WatchesContext,
    about: (id: string) => { lobbyId: string } | { topic: string },
    requests: WatchRequests,
  ) {
    this.context = context;
    this.about = about;
    this.requests = requests;
  }

  has(id: string): boolean {
    return this.handlers.has(id);
  }

  async add(id: string, handler: (event: Event) => void): Promise<Watch> {
    if (this.has(id)) throw new RoomwireError('subscription_conflict', this.about(id));
    this.handlers.set(id, handler);
    try {
      await this.requests.begin(id);
    } catch (error) {
      this.forget(id, handler);
      throw error;
    }
    let left: Promise<void> | undefined;
    return { stop: () => (left ??= this.stop(id, handler)) };
  }

  /** The server has forgotten all of it. */
  connected(): void {
    for (const [id, handler] of this.handlers) {
      const again = async (): Promise<void> => {
        if (this.handlers.get(id) === handler) await this.requests.begin(id);
      };
      this.requests.persist(again).catch((error: RoomwireError) => {
        if (isLoss(error)) return;
        this.forget(id, handler);
        this.context.onError(error);
      });
    }
  }

  hand(id: string, event: Event): void {
    try {
      this.handlers.get(id)?.(event);
    } catch (cause) {
      this.context.onError(new RoomwireError('handler_failed', { ...this.about(id), cause }));
    }
  }

  private async stop(id: string, handler: (event: Event) => void): Promise<void> {
    if (!this.forget(id, handler) || !this.context.isOnline()) return;
    // A connection that is lost ends it as well.
    await this.requests.end(id).catch(() => undefined);
  }

  private forget(id: string, handler: (event: Event) => void): boolean {
    return this.handlers.get(id) === handler && this.handlers.delete(id);
  }
}
