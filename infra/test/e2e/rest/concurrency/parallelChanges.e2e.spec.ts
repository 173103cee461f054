import { expect } from 'chai';
import type { Answer } from '../../../support/conformance.js';
import { startTestService, type TestProject, type TestService } from '../../../support/testService.js';
import { done } from '../contract/world.js';

interface Resource {
  readonly path: string;
  /** What each field may be changed to. The last value of a field says nothing about which change wins. */
  readonly values: Readonly<Record<string, readonly unknown[]>>;
}

const requests = 50;
const texts = (name: string, count = 4) => Array.from({ length: count }, (_, index) => `${name} ${index}`);
const objects = (count = 4) => Array.from({ length: count }, (_, index) => ({ [`key${index}`]: index }));
const webhooks = texts('hook').map((name) => ({ url: `https://example.com/${name.replace(' ', '-')}` }));

const appValues = {
  name: texts('Name'),
  description: texts('Description'),
  slug: ['slug-a', 'slug-b', 'slug-c'],
  status: ['disabled', 'disabled'],
  config: objects(),
  topics: [['a'], ['b'], ['a', 'b']],
  topicConfigs: [{ a: {} }, { b: {} }],
  hydrationWebhook: webhooks,
  triggerWebhook: webhooks,
  dependencies: objects(),
  files: objects(),
  pinnedBlueprintVersion: [true],
};

/** The makers of one of each of the resources that can be changed. */
const resources: Readonly<Record<string, (project: TestProject) => Promise<Resource>>> = {
  app: async ({ client }) => {
    const { appId } = done(await client.post('/apps', { name: 'App' }));
    return { path: `/apps/${appId}`, values: appValues };
  },
  room: async ({ client }) => {
    const { appId } = done(await client.post('/apps', { name: 'App' }));
    const { roomId } = done(await client.post(`/apps/${appId}/rooms`, { name: 'Room' }));
    const { name, description, status, topics } = appValues;
    const values = { name, description, status, topics, metadata: objects() };
    return { path: `/apps/${appId}/rooms/${roomId}`, values };
  },
  actor: async ({ client }) => {
    const { actorTokenId } = done(await client.post('/actors', { name: 'Actor', actorType: 'user' }));
    const slugs = ['one', 'two'];
    const scopes = await Promise.all(slugs.map((slug) => client.post('/scopes', { slug, name: slug })));
    const values = {
      name: texts('Name'),
      status: ['disabled'],
      expiresAt: ['2031-01-01T00:00:00.000Z', '2032-01-01T00:00:00.000Z'],
      metadata: objects(),
      accessScopeId: scopes.map((answer) => done(answer).accessScopeId),
    };
    return { path: `/actors/${actorTokenId}`, values };
  },
  scope: async ({ client }) => {
    const { accessScopeId } = done(await client.post('/scopes', { slug: 'scope', name: 'Scope' }));
    const { name, description } = appValues;
    const values = { name, description, metadata: objects(), isActive: [false] };
    return { path: `/scopes/${accessScopeId}`, values };
  },
  'signing key': async ({ client }) => {
    const { signingKeyId } = done(await client.post('/signing-keys', { name: 'Key' }));
    return { path: `/signing-keys/${signingKeyId}`, values: { name: texts('Name'), status: ['disabled'] } };
  },
};

/** Changes of one field each, the fields in turn. */
const changesOf = ({ values }: Resource): readonly (readonly [field: string, value: unknown])[] => {
  const fields = Object.entries(values);
  return Array.from({ length: requests }, (_, index) => {
    const [field, possible] = fields[index % fields.length] as [string, readonly unknown[]];
    return [field, possible[Math.floor(index / fields.length) % possible.length]] as const;
  });
};

describe('REST concurrent changes', () => {
  let service: TestService;

  before(async () => void (service = await startTestService()));
  after(() => service.close());

  for (const [name, make] of Object.entries(resources))
    it(`lose none of ${requests} changes of different fields of one ${name}`, async () => {
      const project = await service.newProject();
      const resource = await make(project);
      const original = done(await project.client.get(resource.path));
      const changes = changesOf(resource);

      const answers = await Promise.all(
        changes.map(([field, value]) => project.client.patch(resource.path, { [field]: value })),
      );

      const changed = done(await project.client.get(resource.path));
      for (const [index, [field, value]] of changes.entries()) {
        const { status, body } = answers[index] as Answer;
        expect(status, `${field}: ${JSON.stringify(body)}`).to.equal(200);
        expect(body[field], field).to.eql(value);
        expect(resource.values[field], field).to.deep.include(changed[field]);
      }
      const untouched = Object.keys(original).filter((field) => !(field in resource.values));
      for (const field of untouched.filter((each) => each !== 'updatedAt'))
        expect(changed[field], field).to.eql(original[field]);
    });

  it('lose nothing when each resource receives one change of every field', async () => {
    const project = await service.newProject();
    for (const make of Object.values(resources)) {
      const resource = await make(project);
      const fields = Object.entries(resource.values).map(
        ([field, values]) => [field, values.at(-1)] as const,
      );
      const answers = await Promise.all(
        fields.map(([field, value]) => project.client.patch(resource.path, { [field]: value })),
      );
      expect(answers.map(({ status }) => status)).to.eql(fields.map(() => 200));
      expect(done(await project.client.get(resource.path))).to.deep.include(Object.fromEntries(fields));
    }
  });
});
