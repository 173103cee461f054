import { expect } from 'chai';
import { connect, type Client } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { startProgram, stop, type RunningService } from '../../support/program.js';
import { toldOnce } from '../../support/roomEvents.js';

const quiet = { ROOMWIRE_LOG_LEVEL: 'error', ROOMWIRE_REST_RATE: '0', ROOMWIRE_PRESENCE_RATE: '0' };
const lingerSeconds = 2;

interface Person {
  readonly id: string;
  readonly token: string;
}

describe('[HOOK-EVENT-7] room events survive their process', function () {
  this.timeout(120_000);
  let folder: TemporaryFolder;
  let endpoint: WebhookEndpoint;
  let service: RunningService;
  let room: string;
  const clients: Client[] = [];

  before(async () => {
    folder = await temporaryFolder();
    service = await startProgram(folder.path, quiet);
  });
  after(async () => {
    await stop(service, 'SIGKILL');
    await folder.remove();
  });
  beforeEach(async () => {
    endpoint = await WebhookEndpoint.open();
    const config = { eventWebhook: { url: endpoint.url, lingerSeconds } };
    const app = (await service.project.post('/apps', { name: 'a', topics: ['chat'], config })).body;
    await service.project.post(`/apps/${app.appId}/rooms`, { name: 'lobby' });
    room = `${app.slug}/lobby`;
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close().catch(() => undefined)));
    await endpoint.close();
  });

  const newPerson = async (): Promise<Person> => {
    const { body } = await service.project.post('/actors', { name: 'x', actorType: 'user' });
    return { id: body.actorTokenId, token: body.accessToken };
  };
  const enter = async ({ token }: Person): Promise<void> => {
    const client = connect({ url: service.socketUrl, token, reconnect: false });
    clients.push(client);
    await client.ready();
    await client.enter(room);
  };
  const restart = async (signal: NodeJS.Signals): Promise<void> => {
    await stop(service, signal);
    service = await startProgram(folder.path, quiet);
  };
  const told = (count: number) =>
    eventually(() => toldOnce(endpoint).length >= count, { withinMs: 30_000, what: `${count} events` });
  const texts = () =>
    toldOnce(endpoint).map(({ event, actorTokenId }) => `${event} ${actorTokenId ?? ''}`.trim());

  for (const signal of ['SIGKILL', 'SIGTERM'] as const)
    it(`who comes back after a ${signal} has not left, and who does not has, once`, async () => {
      const [ann, ben] = [await newPerson(), await newPerson()];
      for (const person of [ann, ben]) await enter(person);
      await told(3);
      await restart(signal);
      await enter(ann);
      await told(4);
      await restart(signal);
      await told(6);
      expect(texts()).to.eql([
        ...[
          'occupied',
          `joined ${ann.id}`,
          `joined ${ben.id}`,
          `left ${ben.id}`,
          `left ${ann.id}`,
          'vacated',
        ],
      ]);
    });

  it('killed at any time while people come, it tells of nobody twice, and of everybody who has come that they have left', async () => {
    for (let round = 0; round < 3; round += 1) {
      const some = await Promise.all(Array.from({ length: 15 }, newPerson));
      await Promise.all(some.map(enter));
      const received = endpoint.received.length;
      await eventually(() => endpoint.received.length > received + round, { withinMs: 30_000 });
      await restart('SIGKILL');
    }
    // Whoever was there when it was killed has gone before this one.
    const last = await newPerson();
    await enter(last);
    await eventually(() => texts().includes(`joined ${last.id}`), { withinMs: 30_000 });
    await clients.at(-1)?.close();
    await eventually(() => texts().includes(`left ${last.id}`) && texts().at(-1) === 'vacated', {
      ...{ withinMs: 60_000, what: 'the end' },
    });
    const who = (event: string) =>
      texts().flatMap((text) => (text.startsWith(`${event} `) ? [text.slice(event.length + 1)] : []));
    expect(who('joined').length).to.be.greaterThan(3);
    expect(new Set(who('joined')).size).to.equal(who('joined').length);
    expect(who('left').toSorted()).to.eql(who('joined').toSorted());
  });
});
