import { type Client, connect, RoomwireError } from '@roomwire/sdk';
import { longestHistory } from '@roomwire/shared/domain/topicHistory';
import { type ReceivedCall, WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { Samples } from '../../measure/samples.js';
import { roomwireApi } from '../../peers/roomwire.js';
import type { Stoppable } from '../../process/children.js';
import type { Chance } from '../chance.js';
import type { Findings } from '../findings.js';
import type { Cluster } from './cluster.js';
import { type Course, isQuiet, type Phase } from './course.js';
import { Follower, type Numbered } from './follower.js';
import { brokenPromises, lost, type Publication, Publications } from './publications.js';

const followersPerRoom = 3;
const workersPerRoom = 2;
const group = 'crew';
const jobOptions = { ackSeconds: 20, maxDeliveries: 50 };
/** Of all messages, so many go to a worker group, and so many to a webhook. */
const share = { jobs: 0.1, orders: 0.1 };

interface Room {
  readonly address: string;
  /** With history: for followers that resume. */
  readonly chat: string;
  /** For a worker group with jobs. */
  readonly jobs: string;
  /** For a webhook. */
  readonly orders: string;
  readonly publisher: Client;
  readonly followers: readonly Follower[];
}

interface TrafficDeps {
  readonly cluster: Cluster;
  readonly findings: Findings;
  readonly course: Course;
  readonly chance: Chance;
  readonly apiPort: number;
  readonly apiKey: string;
}

/** Publishes to followers, worker groups and a webhook, and knows what each of them is promised. */
export class Traffic implements Stoppable {
  readonly latencies = new Map<Phase, Samples>();
  private readonly deps: TrafficDeps;
  private readonly endpoint: WebhookEndpoint;
  /** By their ids. */
  private readonly calls = new Set<unknown>();
  private readonly called = new Set<number>();
  private readonly publications = new Publications();
  private readonly clients: Client[] = [];
  private readonly worked = new Set<number>();
  private readonly rooms: Room[] = [];

  private constructor(deps: TrafficDeps, endpoint: WebhookEndpoint) {
    this.deps = deps;
    this.endpoint = endpoint;
    endpoint.reaction = (response, call) => {
      this.took(call);
      response.end();
    };
  }

  static async open(deps: TrafficDeps, rooms: number): Promise<Traffic> {
    const endpoint = await WebhookEndpoint.open();
    const traffic = new Traffic(deps, endpoint);
    const api = roomwireApi({ port: deps.apiPort, credentials: deps });
    const chat = await api.createApp('chat', {
      topics: ['chat', 'jobs'],
      topicConfigs: { chat: { history: longestHistory } },
    });
    const shop = await api.createApp('orders', { triggerWebhook: { url: endpoint.url } });
    for (let index = 0; index < rooms; index += 1) {
      const slug = `room-${index}`;
      await api.createRoom(chat.appId, slug);
      await api.createRoom(shop.appId, slug);
      const tokens = await api.createActors(1 + followersPerRoom + workersPerRoom, 'user');
      await traffic.furnish(`${chat.slug}/${slug}`, `${shop.slug}/${slug}`, tokens);
    }
    return traffic;
  }

  /** One more message, to somewhere, that should have been published at this moment. */
  publish(intended: number): void {
    const { chance, course, findings } = this.deps;
    const room = chance.of(this.rooms);
    const dice = chance.next();
    const topic = dice < share.jobs ? room.jobs : dice < share.jobs + share.orders ? room.orders : room.chat;
    const publication = this.publications.begin(topic, course.phase, intended);
    const data: Numbered = { number: publication.number };
    room.publisher.publish(topic, data).then(
      () => {
        publication.outcome = 'accepted';
        findings.count('publishes that were accepted');
      },
      (error: unknown) => {
        publication.outcome = 'refused';
        const name = error instanceof RoomwireError ? error.error : String(error);
        findings.count(`publishes that were refused, ${publication.phase ?? 'meanwhile'}: ${name}`);
        if (isQuiet(publication.phase))
          findings.violated(`a publish was refused while all was well: ${name}`);
      },
    );
  }

  /** Which promises are not kept, now that nothing is published any more. */
  async broken(): Promise<readonly string[]> {
    const { open } = this.publications;
    const inRooms = await Promise.all(
      this.rooms.map((room) =>
        this.brokenIn(room).catch((error: unknown) => [`${room.address}: ${String(error)}`]),
      ),
    );
    return [...(open === 0 ? [] : [`${open} publishes have no answer`]), ...inRooms.flat()];
  }

  async stop(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.close()));
    await this.endpoint.close();
  }

  private async furnish(room: string, shop: string, [own, ...others]: readonly string[]): Promise<void> {
    const { findings } = this.deps;
    const [chat, jobs, orders] = [`${room}/chat`, `${room}/jobs`, `${shop}/orders`];
    const onDelivery = (publication: Publication): void => this.delivered(publication);
    const followerDeps = { findings, publications: this.publications, onDelivery };
    const followers: Follower[] = [];
    for (const token of others.slice(0, followersPerRoom))
      followers.push(await Follower.follow(this.connect(token), room, chat, followerDeps));
    for (const token of others.slice(followersPerRoom)) await this.work(jobs, this.connect(token));
    const publisher = this.connect(own as string);
    await publisher.ready();
    this.rooms.push({ address: room, chat, jobs, orders, publisher, followers });
  }

  private connect(token: string): Client {
    const { cluster, findings } = this.deps;
    const client = connect({ url: cluster.gateways.socketUrl, token });
    this.clients.push(client);
    client.on('state', (state) => {
      findings.count(`clients ${state.name}`);
      if (state.name === 'closed' && state.reason.error !== 'client_closed')
        findings.violated(`a client was closed for good: ${state.reason.message}`);
    });
    client.on('error', ({ error }) => findings.count(`errors of clients: ${error}`));
    return client;
  }

  private async work(topic: string, client: Client): Promise<void> {
    await client.subscribe(
      topic,
      ({ data, delivery }) => {
        this.worked.add((data as Numbered).number);
        this.deps.findings.count(delivery === 1 ? 'jobs' : 'jobs, delivered again');
      },
      { loadBalanceGroup: group, jobs: jobOptions },
    );
  }

  private took({ json, headers }: ReceivedCall): void {
    const { data } = json as { readonly data: Numbered };
    const id = headers['webhook-id'];
    this.deps.findings.count(this.calls.has(id) ? 'webhook calls, repeated' : 'webhook calls');
    this.calls.add(id);
    this.called.add(data.number);
  }

  private delivered({ phase, at }: Publication): void {
    if (phase === undefined) return;
    const samples = this.latencies.get(phase) ?? new Samples();
    this.latencies.set(phase, samples);
    samples.record(performance.now() - at);
  }

  private async brokenIn(room: Room): Promise<readonly string[]> {
    const { address, chat, jobs, orders, publisher, followers } = room;
    const { publications, worked, called } = this;
    const accepted = publications.acceptedOf(chat);
    const recorded: number[] = [];
    for await (const { data } of publisher.history(chat, { after: '' }))
      recorded.push((data as Numbered).number);
    const present = await publisher.presence(address);
    const problems = {
      [`the history of ${chat}`]: brokenPromises(recorded, accepted),
      ...Object.fromEntries(
        followers.map(({ got }, index) => [
          `follower ${index} of ${chat}`,
          got.join() === recorded.join() ? [] : ['not what is on record', ...brokenPromises(got, accepted)],
        ]),
      ),
      [`the workers of ${jobs}`]: lost(worked, publications.acceptedOf(jobs)),
      [`the webhook of ${orders}`]: lost(called, publications.acceptedOf(orders)),
      [`the presence of ${address}`]: isSame(
        present.map(({ actorTokenId }) => actorTokenId),
        followers.map(({ actorTokenId }) => actorTokenId),
      )
        ? []
        : [`${present.length} are said to be there of ${followers.length}`],
    };
    return Object.entries(problems).flatMap(([whose, what]) => what.map((problem) => `${whose}: ${problem}`));
  }
}

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  [...some].sort().join() === [...others].sort().join();
