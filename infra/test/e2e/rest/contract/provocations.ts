import { expect } from 'chai';
import type { Answer } from '../../../support/conformance.js';
import { done, inCase, sessionOf, type World } from './world.js';

/** What was answered, and what stands in place of the placeholders of its message. */
export interface Provoked {
  readonly answer: Answer;
  readonly values?: readonly (string | number)[];
}

/** One way to be refused. */
export interface Provocation {
  /** What it shows, as `403 plan app limit reached`. */
  readonly shows: string;
  readonly shape: 'application' | 'framework' | 'validation';
  /** As the specification has it; of one that it only describes, a part. */
  readonly message: string;
  readonly provoke: (world: World) => Promise<Provoked>;
}

const nowhere = '11111111-2222-4333-8444-555555555555';
const roomCap = 1000;

const provocation = (
  shows: string,
  [shape, message]: readonly [Provocation['shape'], string],
  provoke: Provocation['provoke'],
): Provocation => ({ shows, shape, message, provoke });

const application = (message: string) => ['application', message] as const;
const framework = (message: string) => ['framework', message] as const;
const validation = ['validation', 'Validation failed'] as const;

const roomOf = ({ own: { ids } }: World) => `/apps/${ids.appId}/rooms/${ids.roomId}`;
const newActor = async ({ own }: World, more: object = {}) =>
  done(await own.project.post('/actors', { name: 'Actor', actorType: 'user', ...more }));
const newApp = async ({ own }: World, more: object = {}) =>
  done(await own.project.post('/apps', { name: 'App', topics: ['chat'], ...more }));

const notFound = (noun: string, path: (world: World, id: string) => string) => ({
  missing: async (world: World) => ({
    answer: await world.own.project.get(path(world, nowhere)),
    values: [nowhere],
  }),
  message: application(`${noun} <id> not found`),
});

const room = notFound('Room', ({ own }, id) => `/apps/${own.ids.appId}/rooms/${id}`);
const actor = notFound('Actor token', (_, id) => `/actors/${id}`);
const scope = notFound('Access scope', (_, id) => `/scopes/${id}`);

const badRequests: readonly Provocation[] = [
  provocation('400 validation failed', validation, async ({ own }) => ({
    answer: await own.project.post('/apps', { name: 7 }),
  })),
  provocation('400 unknown body field', validation, async ({ own }) => ({
    answer: await own.project.post('/apps', { name: 'App', unknown: 1 }),
  })),
  provocation('400 invalid UUID', application('Invalid appId UUID format'), async ({ own }) => ({
    answer: await own.project.get('/apps/1'),
  })),
  provocation(
    '400 invalid actorId',
    application('Invalid actorId: must be a UUID or public keyId (at_...)'),
    async ({ own }) => ({ answer: await own.project.get('/actors/1') }),
  ),
  provocation(
    '400 room cap (1000) reached',
    application('App <appId> has reached its room cap (1000)'),
    async (world) => {
      const { appId } = await newApp(world, { config: { autoProvisionRooms: true } });
      const ensure = (slug: string) =>
        world.own.project.post(`/apps/${appId}/rooms/ensure`, { name: 'R', slug });
      for (let made = 0; made < roomCap; made += 100)
        for (const answer of await Promise.all(Array.from({ length: 100 }, (_, i) => ensure(`r${made + i}`))))
          done(answer);
      // An existing one needs no place.
      done(await ensure('r7'));
      const answer = await ensure('one-more');
      // The cap is one of provisioning: a room that is created in the ordinary way is beyond it.
      const rooms = `/apps/${appId}/rooms`;
      done(await world.own.project.post(rooms, { name: 'One more' }));
      expect(done(await world.own.project.get(rooms))).to.have.length(roomCap + 1);
      return { answer, values: [appId] };
    },
  ),
  provocation(
    '400 static room deletion',
    application('Cannot delete static rooms created from Blueprint. Disable them instead.'),
    async (world) => {
      const { own, service } = world;
      const blueprint = { name: 'With a room', version: '1.0.0', definition: { rooms: [{ name: 'Lobby' }] } };
      const path = `/organizations/${own.ids.orgId}/blueprints`;
      const { blueprintId } = done(await service.operator.post(path, blueprint));
      const { appId } = await newApp(world, { blueprintId });
      const [{ roomId }] = done(await own.project.get(`/apps/${appId}/rooms`));
      return { answer: await own.project.delete(`/apps/${appId}/rooms/${roomId}`) };
    },
  ),
  ...(['POST', 'PATCH'] as const).map((method) =>
    provocation(
      '400 scope from another project',
      application('Access scope <id> does not belong to this project'),
      async (world) => {
        const accessScopeId = world.foreign.ids.scopeId;
        const { project, ids } = world.own;
        const answer =
          method === 'POST'
            ? await project.post('/actors', { name: 'A', actorType: 'user', accessScopeId })
            : await project.patch(`/actors/${ids.actorId}`, { accessScopeId });
        return { answer, values: [accessScopeId] };
      },
    ),
  ),
  provocation(
    '400 neither actorTokenId nor actorType on a grant',
    application('Either actorTokenId or actorType must be provided.'),
    async (world) => ({
      answer: await world.own.project.post(`${roomOf(world)}/actors`, { permission: 'pubSub' }),
    }),
  ),
];

const unauthorized = [
  ['Authorization header not provided', async () => undefined],
  ['Invalid or expired API key', async () => `ak_live_0.${'a'.repeat(43)}`],
  ['Token type not allowed for this route', async ({ own }: World) => sessionOf(own.ids.orgId)],
] as const;

const refusedKeys: readonly Provocation[] = [
  ...unauthorized.map(([message, credential]) =>
    provocation('401 missing or invalid API key or token', application(message), async (world) => ({
      answer: await world.service.client(await credential(world)).get('/apps'),
    })),
  ),
  provocation(
    '403 key not project-scoped',
    framework('API key must be project-scoped to access this endpoint'),
    async ({ service, own }) => ({ answer: await service.client(own.organizationKey).get('/apps') }),
  ),
  provocation(
    '403 plan app limit reached',
    framework('App limit reached. Please upgrade your subscription to create more apps.'),
    async ({ service }) => {
      const { client } = await service.newProject({ maxApps: 2 });
      for (const name of ['One', 'Two']) done(await client.post('/apps', { name }));
      return { answer: await client.post('/apps', { name: 'Three' }) };
    },
  ),
  ...[{}, { config: { autoProvisionRooms: false } }].map((settings) =>
    provocation(
      '403 `rooms/ensure` on an app without `config.autoProvisionRooms`',
      application('config.autoProvisionRooms=true'),
      async (world) => {
        const { appId } = await newApp(world, settings);
        const answer = await world.own.project.post(`/apps/${appId}/rooms/ensure`, { name: 'Room' });
        await inCase('The message', async () => {
          if (!/dynamic room provisioning is not allowed/i.test(answer.body.message as string))
            throw new Error(answer.body.message as string);
        });
        return { answer };
      },
    ),
  ),
];

const notFounds: readonly Provocation[] = [
  ...[room, actor, scope].map(({ message, missing }) =>
    provocation('404 resource does not exist', message, missing),
  ),
  provocation('404 resource does not exist', application('Room grant <id> not found'), async (world) => ({
    answer: await world.own.project.delete(`${roomOf(world)}/actors/${nowhere}`),
    values: [nowhere],
  })),
  provocation('404 was deleted', actor.message, async (world) => {
    const { actorTokenId } = await newActor(world);
    done(await world.own.project.delete(`/actors/${actorTokenId}`));
    return { answer: await world.own.project.get(`/actors/${actorTokenId}`), values: [actorTokenId] };
  }),
  provocation('404 was deleted', scope.message, async ({ own }) => {
    const { accessScopeId } = done(await own.project.post('/scopes', { slug: 'short-lived', name: 'S' }));
    done(await own.project.delete(`/scopes/${accessScopeId}`));
    return { answer: await own.project.get(`/scopes/${accessScopeId}`), values: [accessScopeId] };
  }),
  provocation(
    '404 belongs to another project',
    framework('App <id> not found in project <id>'),
    async ({ own, foreign }) => ({
      answer: await own.project.get(`/apps/${foreign.ids.appId}`),
      values: [foreign.ids.appId, own.ids.projectId],
    }),
  ),
  provocation(
    '404 reset-to-blueprint on an app without a blueprint',
    application('App <id> was not created from a blueprint'),
    async (world) => {
      const { appId } = await newApp(world);
      return { answer: await world.own.project.post(`/apps/${appId}/reset-to-blueprint`), values: [appId] };
    },
  ),
  provocation(
    '404 grant for an actor of another project',
    application('Actor token <id> not found in this project'),
    async (world) => {
      const actorTokenId = world.foreign.ids.actorId;
      const grant = { permission: 'pubSub', actorTokenId };
      return {
        answer: await world.own.project.post(`${roomOf(world)}/actors`, grant),
        values: [actorTokenId],
      };
    },
  ),
];

const conflicts: readonly Provocation[] = [
  provocation(
    '409 duplicate app slug',
    application('App with slug "<slug>" already exists in this project'),
    async (world) => {
      const [one, other] = [await newApp(world), await newApp(world)];
      return {
        answer: await world.own.project.patch(`/apps/${other.appId}`, { slug: one.slug }),
        values: [one.slug],
      };
    },
  ),
  provocation(
    '409 room slug or scope slug',
    application('Room with slug "<slug>" already exists'),
    async ({ own }) => {
      const rooms = `/apps/${own.ids.appId}/rooms`;
      done(await own.project.post(rooms, { name: 'Taken', slug: 'taken' }));
      return { answer: await own.project.post(rooms, { name: 'Taken' }), values: ['taken'] };
    },
  ),
  provocation(
    '409 room slug or scope slug',
    application('A scope with slug "<slug>" already exists in this project'),
    async ({ own }) => {
      const taken = { slug: 'taken', name: 'Taken' };
      done(await own.project.post('/scopes', taken));
      return { answer: await own.project.post('/scopes', taken), values: ['taken'] };
    },
  ),
  ...[{ actorType: 'agent' }, {}].map((holder) =>
    provocation(
      '409 duplicate room grant',
      application('That actor already has a grant on this room. Update it instead.'),
      async (world) => {
        const { actorTokenId } = await newActor(world);
        const grant = 'actorType' in holder ? holder : { actorTokenId };
        const send = (permission: string) =>
          world.own.project.post(`${roomOf(world)}/actors`, { ...grant, permission });
        done(await send('subscribe'));
        return { answer: await send('publish') };
      },
    ),
  ),
  provocation(
    '409 deleting a scope that still has actors',
    application('Cannot delete scope: <n> actor(s) are still assigned to it. Unscope them first.'),
    async (world) => {
      const { accessScopeId } = done(
        await world.own.project.post('/scopes', { slug: 'in-use', name: 'In use' }),
      );
      for (let actors = 0; actors < 3; actors += 1) await newActor(world, { accessScopeId });
      return { answer: await world.own.project.delete(`/scopes/${accessScopeId}`), values: [3] };
    },
  ),
];

/** At least one for each thing for which the specification gives a status, and for each of its messages. */
export const provocations: readonly Provocation[] = [
  ...badRequests,
  ...refusedKeys,
  ...notFounds,
  ...conflicts,
];
