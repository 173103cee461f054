import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { seededChance } from '@roomwire/testing/run/seededChance';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { startProgram, stop } from '../../support/program.js';
import { twoActors } from '../../support/twoActors.js';

interface Kept {
  readonly data: readonly { readonly id: string; readonly data: unknown; readonly at: string }[];
  readonly next?: string;
}

describe('publishes for later on files', () => {
  const count = 400;

  it('[WS-LATER-1] [WS-LATER-2] are delivered once, in their order, over kills of the service', async () => {
    const folder = await temporaryFolder();
    let service = await startProgram(folder.path);
    const config = { topicConfigs: { chat: { history: {} } } };
    const { topic } = await twoActors(service.project, config);
    const from = Date.now() + 500;
    const deliverAt = (n: number): string => new Date(from + 10 * n).toISOString();
    for (let n = 0; n < count; n += 100) {
      const batch = Array.from({ length: 100 }, (_, m) => n + m);
      const messages = batch.map((data) => ({ topic, data, id: `m-${data}`, deliverAt: deliverAt(data) }));
      const { body } = await service.project.post('/publish', { messages });
      for (const result of body.results) expect(result).to.have.property('scheduledId');
    }
    const chance = seededChance(19);
    for (let kill = 0; kill < 3; kill += 1) {
      // Amid the deliveries: what is there shows how far they are.
      const already = (await service.project.get('/scheduled?limit=1000')).body.data.length as number;
      const until = Math.max(0, already - 20 - chance.below(60));
      await eventually(
        async () => (await service.project.get('/scheduled?limit=1000')).body.data.length <= until,
        { withinMs: 20_000 },
      );
      await stop(service, 'SIGKILL');
      service = await startProgram(folder.path);
    }
    await eventually(async () => (await service.project.get('/scheduled')).body.data.length === 0, {
      withinMs: 30_000,
    });
    const [appSlug = '', roomSlug = ''] = topic.split('/');
    const apps = (await service.project.get('/apps')).body.data as { appId: string; slug: string }[];
    const { appId = '' } = apps.find(({ slug }) => slug === appSlug) ?? {};
    const rooms = (await service.project.get(`/apps/${appId}/rooms?slug=${roomSlug}`)).body;
    const [{ roomId }] = (rooms.data ?? rooms) as [{ roomId: string }];
    const path = `/apps/${appId}/rooms/${roomId}/topics/chat/messages?after=&limit=1000`;
    const kept = async () => ((await service.project.get(path)).body as Kept).data;
    await eventually(async () => (await kept()).length >= count, { withinMs: 20_000 });
    const messages = await kept();
    expect(messages.map(({ data }) => data)).to.deep.equal(Array.from({ length: count }, (_, n) => n));
    for (const { data, at } of messages)
      expect(at >= deliverAt(data as number), `${data as number} at ${at}`).to.equal(true);
    await stop(service);
    await folder.remove();
  }).timeout(90_000);
});
