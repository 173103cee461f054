import { setTimeout as pause } from 'node:timers/promises';
import { connect, ConnectionError, type Client, type Message, type SubscribeOptions } from '@roomwire/sdk';
import type { Door } from '@roomwire/testing/run/door';
import type { ApiClient } from '../support/apiClient.js';

const reconnect = { baseMs: 50, maxMs: 500, restartSpreadMs: 100 };

/** What the load of an upgrade publishes. */
interface Numbered {
  readonly by: string;
  readonly n: number;
}

/** The end of a connection that its client did not want. */
export interface Loss {
  readonly client: string;
  readonly door: Door;
  readonly closeCode: number | undefined;
  readonly error: string;
  readonly at: number;
}

/** Every connection of the load, and what became of it. */
export class Connections {
  readonly losses: Loss[] = [];
  private readonly clients = new Set<Client>();

  /** Comes back by itself. */
  async open(name: string, door: Door, token: string): Promise<Client> {
    const client = connect({ url: door.socketUrl, token, reconnect });
    this.clients.add(client);
    let wasConnected = false;
    client.on('state', (state) => {
      if (wasConnected && (state.name === 'waiting' || state.name === 'closed'))
        this.lost(name, door, state.reason);
      wasConnected = state.name === 'connected';
    });
    await client.ready();
    wasConnected = true;
    return client;
  }

  lost(client: string, door: Door, reason: Error & { readonly error?: string }): void {
    if (reason.error === 'client_closed') return;
    const closeCode = reason instanceof ConnectionError ? reason.closeCode : undefined;
    this.losses.push({
      client,
      door,
      closeCode,
      error: reason.error ?? reason.message,
      at: performance.now(),
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.clients].map((client) => client.close()));
  }
}

/** Work that goes on until it is stopped. */
abstract class Loop {
  private isStopped = false;
  private running: Promise<void> = Promise.resolve();

  begin(): this {
    this.running = this.run();
    return this;
  }

  /** Resolves when its last turn has ended; rejects with what made it fail. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.running;
  }

  protected abstract turn(): Promise<void>;

  private async run(): Promise<void> {
    while (!this.isStopped) await this.turn();
  }
}

export interface Acknowledged {
  readonly n: number;
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** After these it is not known whether the message was published. */
const unknownOutcomes = ['connection_lost', 'not_connected', 'request_timeout', 'broker_unavailable'];
const betweenPublishesMs = 40;

/** Publishes numbers, one after the other, and keeps those that were acknowledged. */
export class NumberPublisher extends Loop {
  readonly name: string;
  readonly acknowledged: Acknowledged[] = [];
  /** What was refused for a reason that no restart explains. */
  readonly refusals: string[] = [];
  private readonly client: Client;
  private readonly topic: string;
  private next = 0;

  constructor(name: string, client: Client, topic: string) {
    super();
    this.name = name;
    this.client = client;
    this.topic = topic;
  }

  protected async turn(): Promise<void> {
    const n = this.next++;
    const sentAt = performance.now();
    const message: Numbered = { by: this.name, n };
    try {
      await this.client.publish(this.topic, message, { qos: 1 });
      this.acknowledged.push({ n, sentAt, answeredAt: performance.now() });
    } catch (error) {
      const name = (error as { readonly error?: string }).error ?? String(error);
      if (!unknownOutcomes.includes(name)) this.refusals.push(name);
    }
    await pause(betweenPublishesMs);
  }
}

/** The numbers of each publisher, in the order in which they came. */
export class Receipts {
  private readonly byPublisher = new Map<string, number[]>();

  readonly take = ({ data }: Pick<Message, 'data'>): void => {
    const { by, n } = data as Numbered;
    const numbers = this.byPublisher.get(by) ?? [];
    this.byPublisher.set(by, numbers);
    numbers.push(n);
  };

  of(publisher: NumberPublisher): readonly number[] {
    return this.byPublisher.get(publisher.name) ?? [];
  }

  missing(
    publisher: NumberPublisher,
    among: readonly Acknowledged[] = publisher.acknowledged,
  ): readonly number[] {
    const got = new Set(this.of(publisher));
    return among.map(({ n }) => n).filter((n) => !got.has(n));
  }
}

/** A message that was acknowledged so long before a connection ended must have come to it. */
const deliveryMs = 2_000;

interface ListenerDeps {
  readonly name: string;
  readonly door: Door;
  readonly token: string;
  readonly topic: string;
  readonly connections: Connections;
}

/** A subscriber that knows from when to when it was subscribed, connection by connection. */
export class Listener extends Loop {
  readonly receipts = new Receipts();
  private readonly subscribed: { readonly from: number; to: number }[] = [];
  private readonly deps: ListenerDeps;
  /** Why it could not subscribe the last time. */
  refusal: unknown;
  private client: Client | undefined;

  constructor(deps: ListenerDeps) {
    super();
    this.deps = deps;
  }

  get isSubscribed(): boolean {
    return this.subscribed.at(-1)?.to === Infinity;
  }

  /** Of these, the ones that must have come. */
  owed(acknowledged: readonly Acknowledged[]): readonly Acknowledged[] {
    return acknowledged.filter(({ sentAt, answeredAt }) =>
      this.subscribed.some(({ from, to }) => from <= sentAt && answeredAt + deliveryMs <= to),
    );
  }

  override async stop(): Promise<void> {
    const stopped = super.stop();
    await this.client?.close();
    await stopped;
  }

  protected async turn(): Promise<void> {
    const { name, door, token, topic, connections } = this.deps;
    const client = connect({ url: door.socketUrl, token, reconnect: false });
    this.client = client;
    const ended = new Promise<void>((resolve) => {
      client.on('state', (state) => {
        if (state.name !== 'closed') return;
        const last = this.subscribed.at(-1);
        if (last?.to === Infinity) {
          last.to = performance.now();
          connections.lost(name, door, state.reason);
        }
        resolve();
      });
    });
    const subscription = await client.subscribe(topic, this.receipts.take).catch((error: unknown) => {
      this.refusal = error;
    });
    // A process that has just begun to stop may still have accepted the connection.
    if (subscription && client.state.name === 'connected')
      this.subscribed.push({ from: performance.now(), to: Infinity });
    else await client.close();
    await ended;
    await pause(reconnect.baseMs);
  }
}

const betweenChangesMs = 250;

/** Creates actors by REST, on each command-api in turn. */
export class Changes extends Loop {
  /** Those whose creation was answered. */
  readonly created: string[] = [];
  readonly surprises: string[] = [];
  private readonly apis: () => readonly ApiClient[];
  private turns = 0;

  constructor(apis: () => readonly ApiClient[]) {
    super();
    this.apis = apis;
  }

  protected async turn(): Promise<void> {
    const apis = this.apis();
    const api = apis[this.turns++ % apis.length] as ApiClient;
    const fields = { name: `actor ${this.turns}`, actorType: 'user' };
    const answer = await api.post('/actors', fields).catch(() => undefined);
    if (answer?.status === 201) {
      const { actorTokenId } = answer.body as { actorTokenId: string };
      this.created.push(actorTokenId);
      const read = await api.get(`/actors/${actorTokenId}`).catch(() => undefined);
      if (read !== undefined && read.status !== 200) this.surprises.push(`${read.status} for a new actor`);
    } else if (answer !== undefined) this.surprises.push(`${answer.status} ${JSON.stringify(answer.body)}`);
    await pause(betweenChangesMs);
  }
}

/** A member of the worker group of a topic. */
export const joinGroup = (client: Client, topic: string, receipts: Receipts): Promise<unknown> => {
  const options: SubscribeOptions = { loadBalance: true, loadBalanceGroup: 'workers' };
  return client.subscribe(topic, receipts.take, options);
};
