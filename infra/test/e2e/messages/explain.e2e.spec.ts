import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { FrameClient } from '@roomwire/testing/clients/frameClient';
import { startTestService, type TestProject, type TestService } from '../../support/testService.js';

const actions = ['subscribe', 'publish'] as const;
type Action = (typeof actions)[number];

describe('an explanation', function () {
  this.timeout(60_000);
  let service: TestService;
  let project: TestProject;
  let app: { readonly appId: string; readonly slug: string };

  before(async () => {
    service = await startTestService();
    project = await service.newProject();
    app = await made('/apps', { name: 'App', topics: ['chat'] });
  });
  after(() => service.close());

  const made = async (path: string, body: object): Promise<any> => {
    const answer = await project.client.post(path, body);
    expect(answer.status).to.equal(201);
    return answer.body;
  };
  const explained = async (actor: string, room: string, action: Action, at?: string): Promise<any> => {
    const query = new URLSearchParams({ actor, action, address: `${app.slug}/${room}/chat` });
    if (at !== undefined) query.set('at', at);
    const { status, body } = await service.operator.get(
      `/organizations/${project.organizationId}/explain?${query.toString()}`,
    );
    expect(status).to.equal(200);
    return body;
  };
  /** What a gateway lets the actor do. */
  const granted = async (client: FrameClient, room: string): Promise<Record<Action, boolean>> => {
    const topic = `${app.slug}/${room}/chat`;
    client.send({ type: 'subscribe', topic });
    const subscribed = (await client.nextType()) === 'subscribed';
    if (subscribed) client.send({ type: 'unsubscribe', topic });
    if (subscribed) await client.next();
    client.send({ type: 'publish', topic, data: 1, msgRef: 'm' });
    return { subscribe: subscribed, publish: (await client.nextType()) === 'published' };
  };

  it('predicts the decision of the gateway for each actor, room and action', async () => {
    const actors = await Promise.all(
      (['user', 'device', 'observer', 'agent'] as const).map((actorType) =>
        made('/actors', { name: actorType, actorType }),
      ),
    );
    const rooms = `/apps/${app.appId}/rooms`;
    const byName = async (name: string, permission?: object, status?: string): Promise<string> => {
      const { roomId } = await made(rooms, { name, slug: name });
      if (permission) await made(`${rooms}/${roomId}/actors`, permission);
      if (status) await project.client.patch(`${rooms}/${roomId}`, { status });
      return name;
    };
    const [user, device] = actors;
    const names = [
      await byName('open'),
      await byName('for-one', { actorTokenId: user.actorTokenId, permission: 'pubSub' }),
      await byName('to-hear', { actorType: 'device', permission: 'subscribe' }),
      await byName('to-speak', { actorTokenId: device.actorTokenId, permission: 'publish' }),
      await byName('closed', undefined, 'disabled'),
      'nowhere',
    ];
    const rules = new Set<string>();
    for (const actor of actors) {
      const client = await FrameClient.join(service.socketUrl, actor.accessToken);
      for (const room of names) {
        const allowed = await granted(client, room);
        for (const action of actions) {
          const answer = await explained(actor.keyId, room, action);
          expect(answer.allowed, `${action} in ${room} by ${actor.name}: ${answer.rule}`).to.equal(
            allowed[action],
          );
          expect(answer.actorTokenId).to.equal(actor.actorTokenId);
          rules.add(answer.rule);
        }
      }
      client.terminate();
    }
    expect([...rules]).to.have.members([
      ...['open', 'grant', 'grant_missing', 'grant_other_action', 'observer'],
      ...['room_inactive', 'room_missing'],
    ]);
  });

  it('names the event that decided, now and at a time in the past', async () => {
    const { actorTokenId, keyId } = await made('/actors', { name: 'late', actorType: 'user' });
    const rooms = `/apps/${app.appId}/rooms`;
    const { roomId } = await made(rooms, { name: 'changing' });
    const grants = `${rooms}/${roomId}/actors`;
    const { roomActorAccessId, createdAt } = await made(grants, { actorTokenId, permission: 'subscribe' });
    const now = await explained(keyId, 'changing', 'subscribe');
    expect(now).to.deep.include({ allowed: true, rule: 'grant', until: null });
    expect(now.event).to.include({ type: 'RoomGrantAdded', occurredAt: createdAt });
    expect(now.event.principal).to.match(/^apiKey:ak_live_/);

    // A state is that at the end of its millisecond.
    await eventually(() => Date.now() > Date.parse(createdAt));
    expect((await project.client.delete(`${grants}/${roomActorAccessId}`)).status).to.equal(204);
    await made(grants, { actorType: 'device', permission: 'subscribe' });
    const then = await explained(actorTokenId, 'changing', 'subscribe', createdAt);
    expect(then).to.deep.equal({ ...now, at: createdAt });
    expect(await explained(actorTokenId, 'changing', 'subscribe')).to.include({
      ...{ allowed: false, rule: 'grant_missing' },
    });
  });

  it('is available to sessions of the organization only', async () => {
    const other = await service.newProject();
    const { keyId } = await made('/actors', { name: 'ours', actorType: 'user' });
    const query = `actor=${keyId}&action=publish&address=${app.slug}/open/chat`;
    const { status } = await service.operator.get(`/organizations/${other.organizationId}/explain?${query}`);
    expect(status).to.equal(404);
  });
});
