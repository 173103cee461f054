import { expect } from 'chai';
import { connect, type Client, type ClientOptions, type Message } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import { startTestService, type TestService } from '../../support/testService.js';

const options = { loadBalance: true, loadBalanceGroup: 'workers' } as const;

describe('worker groups', () => {
  let service: TestService;
  let url: string;
  let topic: string;
  const clients: Client[] = [];

  before(async () => {
    service = await startTestService({ messageRecording: true, publishRate: 0 });
    url = service.socketUrl;
  });
  after(() => service.close());
  beforeEach(async () => {
    const { project } = service;
    const topicConfigs = { jobs: { logging: { enabled: true, retention: '1d' } } };
    const app = (await project.post('/apps', { name: 'place', topics: ['jobs'], topicConfigs })).body;
    await project.post(`/apps/${app.appId}/rooms`, { name: 'hall' });
    topic = `${app.slug}/hall/jobs`;
  });
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

  const newToken = async (actorType = 'user', fields = {}): Promise<string> =>
    (await service.project.post('/actors', { name: 'x', actorType, ...fields })).body.accessToken;
  const open = async (token: string, given: Partial<ClientOptions> = {}): Promise<Client> => {
    const client = connect({ url, token, reconnect: false, ...given });
    clients.push(client);
    await client.ready();
    return client;
  };
  const work = async (client: Client, more = {}): Promise<Message[]> => {
    const got: Message[] = [];
    await client.subscribe(topic, (message) => void got.push(message), { ...options, ...more });
    return got;
  };
  const dataOf = (...lists: readonly (readonly Message[])[]): unknown[] =>
    lists.flatMap((list) => list.map(({ data }) => data)).sort((one, other) => Number(one) - Number(other));
  const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

  it('[WS-GROUP-2] [WS-GROUP-4] assign each message to one member, also when one leaves', async () => {
    const members = [
      await open(await newToken()),
      await open(await newToken()),
      await open(await newToken()),
    ];
    const [one, two, three] = [
      await work(members[0] as Client),
      await work(members[1] as Client),
      await work(members[2] as Client),
    ];
    const writer = await open(await newToken());
    await Promise.all(upTo(300).map((n) => writer.publish(topic, n)));
    await eventually(() => dataOf(one, two, three).length >= 300);
    expect(dataOf(one, two, three)).to.eql(upTo(300));
    for (const got of [one, two, three]) expect(got.length).to.be.above(20);
    await members[2]?.close();
    for (const n of upTo(400).slice(300)) await writer.publish(topic, n);
    await eventually(() => new Set(dataOf(one, two, three)).size === 400);
  });

  it('[WS-GROUP-5] [WS-GROUP-3] are separated by scope and filters', async () => {
    const { accessScopeId } = (await service.project.post('/scopes', { name: 'S', slug: 'inside' })).body;
    const [inside, outside] = [
      await open(await newToken('user', { accessScopeId })),
      await open(await newToken()),
    ];
    const [got, other] = [await work(inside, { filters: ['a'] }), await work(outside)];
    const writers = [
      await open(await newToken('user', { accessScopeId })),
      await open(await newToken()),
    ] as const;
    for (const n of [0, 1]) await writers[0].publish(topic, n, { filter: n === 0 ? 'b' : 'a' });
    for (const n of [2, 3]) await writers[1].publish(topic, n);
    await eventually(() => got.length === 1 && other.length === 2);
    expect([dataOf(got), dataOf(other)]).to.eql([[1], [2, 3]]);
  });

  it('[WS-GROUP-9] [WS-GROUP-10] sleep over a restart of the service, and receive their backlog when they wake', async () => {
    const [token, writing] = [await newToken('agent'), await newToken()];
    const first = await open(token, { clientId: 'c' });
    const before = await work(first);
    const writer = await open(writing);
    for (const n of upTo(5)) await writer.publish(topic, n);
    await eventually(() => before.length === 5);
    await first.close();
    for (const n of upTo(12).slice(5)) await writer.publish(topic, n);
    await Promise.all(clients.splice(0).map((client) => client.close()));
    url = await service.restart();
    const later = await open(writing);
    await later.publish(topic, 12);
    const woken = await work(await open(token, { clientId: 'd' }));
    await eventually(() => woken.some(({ data }) => data === 12), { withinMs: 20_000 });
    await later.publish(topic, 13);
    await eventually(() => woken.some(({ data }) => data === 13));
    const missed = woken.filter(({ isReplay }) => isReplay).map(({ data }) => data as number);
    expect(missed.slice(-8)).to.eql([5, 6, 7, 8, 9, 10, 11, 12]);
    expect(woken.at(-1)).to.include({ data: 13 });
    expect(new Set(dataOf(woken)).size).to.equal(woken.length);
  });
});
