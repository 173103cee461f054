import {
  RoomwireError,
  type Client,
  type ConnectionState,
  type EnterOptions,
  type HistoryOptions,
  type Message,
  type MessageHandler,
  type PresenceEntry,
  type Published,
  type PublishOptions,
  type SubscribeOptions,
} from '@roomwire/sdk';

export const messageOf = (text: string, position?: string, id = text): Message => ({
  ...{ topic: 'a/b/c', data: text, msgId: undefined, filter: undefined, isReplay: false },
  meta: { id, at: 0, from: 'other', ...(position === undefined ? {} : { position }) },
});

export const textsOf = (messages: readonly Message[]): unknown[] => messages.map(({ data }) => data);

/** What has been subscribed, and how a test answers. */
export interface ScriptedSubscription {
  readonly topic: string;
  readonly options: SubscribeOptions;
  readonly deliver: MessageHandler;
  hasBegun: boolean;
  isOver: boolean;
  accept(): void;
  refuse(error: RoomwireError): void;
  end(error: RoomwireError): void;
}

/** The parts of a client that the hooks use, in the hand of a test. */
export class ScriptedClient {
  state = { name: 'connecting' } as ConnectionState;
  readonly subscriptions: ScriptedSubscription[] = [];
  readonly entered: unknown[] = [];
  readonly left: string[] = [];
  /** Of rooms that are counted, what a test says how many are there. */
  readonly counts = new Map<string, (present: number) => void>();
  /** What it has of the history, the oldest first. */
  kept: readonly Message[] = [];
  refusesToEnter: RoomwireError | undefined;
  /** Until when it does not answer who enters. */
  entering: Promise<void> = Promise.resolve();
  private readonly stateListeners = new Set<(state: ConnectionState) => void>();
  private readonly errorListeners = new Set<(error: RoomwireError) => void>();
  private readonly roomListeners = new Set<() => void>();
  private members: readonly PresenceEntry[] = [];

  get client(): Client {
    return this as unknown as Client;
  }

  async subscribe(topic: string, deliver: MessageHandler, options: SubscribeOptions): Promise<unknown> {
    if (this.conflicts(topic, options)) throw new RoomwireError('subscription_conflict', { topic });
    const subscription: ScriptedSubscription = {
      ...{ topic, options, deliver, hasBegun: false, isOver: false },
      ...{ accept: () => undefined, refuse: () => undefined, end: () => undefined },
    };
    this.subscriptions.push(subscription);
    const over = (): void => void (subscription.isOver = true);
    await new Promise<void>((resolve, reject) => {
      subscription.accept = () => {
        subscription.hasBegun = true;
        resolve();
      };
      subscription.refuse = (error) => {
        over();
        reject(error);
      };
    });
    const ended = new Promise<RoomwireError>((resolve) => (subscription.end = resolve));
    void ended.then(over);
    return { ended, unsubscribe: async () => over() };
  }

  async *history(_topic: string, { before, limit = Infinity }: HistoryOptions): AsyncGenerator<Message> {
    const earlier = this.kept.filter(({ meta }) => before === undefined || (meta?.position ?? '') < before);
    yield* earlier.toReversed().slice(0, limit);
  }

  async publish(_topic: string, _data: unknown, { deliverAt }: PublishOptions): Promise<Published> {
    return { id: 'own', duplicate: false, ...(deliverAt !== undefined && { scheduledId: 's' }) };
  }

  on(name: 'state' | 'error', listener: (value: never) => void): () => void {
    const listeners = name === 'state' ? this.stateListeners : this.errorListeners;
    listeners.add(listener as (value: unknown) => void);
    return () => listeners.delete(listener as (value: unknown) => void);
  }

  report(error: RoomwireError): void {
    for (const listener of this.errorListeners) listener(error);
  }

  connect(): void {
    this.state = { name: 'connected', session: { actorTokenId: 'me' } } as ConnectionState;
    for (const listener of this.stateListeners) listener(this.state);
  }

  async count(roomId: string, handler: (present: number) => void): Promise<{ stop(): Promise<void> }> {
    if (this.refusesToEnter !== undefined) throw this.refusesToEnter;
    if (this.counts.has(roomId)) throw new RoomwireError('subscription_conflict');
    this.counts.set(roomId, handler);
    return { stop: async () => void this.counts.delete(roomId) };
  }

  room(roomId: string) {
    const members = (): readonly PresenceEntry[] => this.members;
    return {
      get members() {
        return members();
      },
      leave: async () => {
        this.left.push(roomId);
        this.members = [];
      },
      enter: async (presence: unknown, { keep }: EnterOptions) => {
        this.entered.push(keep === true ? { keep, presence } : presence);
        const refused = this.refusesToEnter;
        await this.entering;
        if (refused !== undefined) throw refused;
      },
      on: (_name: string, listener: () => void) => {
        this.roomListeners.add(listener);
        return () => this.roomListeners.delete(listener);
      },
    };
  }

  become(...actorTokenIds: readonly string[]): void {
    this.members = actorTokenIds.map((actorTokenId) => ({ actorTokenId, presence: {}, joinedAt: 0 }));
    for (const listener of this.roomListeners) listener();
  }

  /** As the client does when it gives a room up: nobody is told. */
  forgetMembers(): void {
    this.members = [];
  }

  /** As the client does: all on a topic have the same options, and nobody joins later who wants earlier messages. */
  private conflicts(topic: string, options: SubscribeOptions): boolean {
    const text = JSON.stringify(options);
    return this.subscriptions
      .filter((other) => other.topic === topic && !other.isOver)
      .some((other) => JSON.stringify(other.options) !== text || (other.hasBegun && 'rewind' in options));
  }
}

/** After all that was promised by now. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
