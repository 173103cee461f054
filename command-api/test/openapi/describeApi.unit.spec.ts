import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { apiRoutes, type ApiDeps } from '../../src/commandApi.js';
import { type RejectionCode, rejections } from '../../src/handling/rejections.js';
import type { Route } from '../../src/http/route.js';
import { bodyValidator, formats } from '../../src/http/validation.js';
import { describeApi } from '../../src/openapi/describeApi.js';

// Routes are only looked at, never called.
const routes = apiRoutes({} as ApiDeps);
const description = JSON.parse(JSON.stringify(describeApi(routes))) as Description;

interface Media {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly $ref: string }>>;
}

interface Response {
  readonly headers?: object;
  readonly content?: Readonly<Record<string, Media>>;
  readonly links?: Readonly<Record<string, unknown>>;
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Response>>;
}

interface Schema {
  readonly examples?: readonly unknown[];
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: object;
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
  };
}

const nameOf = ({ method, path }: Route): string => `${method.toUpperCase()} ${path}`;

const operationOf = ({ method, path }: Route): Operation => {
  const operation = description.paths[path]?.[method];
  if (operation === undefined) throw new Error(`${method} ${path} is not described`);
  return operation;
};

const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: { ...formats, uri: formats['webhook-url'] },
});
ajv.addSchema(description, 'api');

const expectValid = (pointer: readonly string[], value: unknown): void => {
  const path = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')));
  const validate = ajv.getSchema(`api#/${path.join('/')}`);
  if (validate === undefined) throw new Error(`There is no schema at ${pointer.join(' ')}`);
  void validate(value);
  expect(validate.errors ?? [], pointer.join(' ')).to.eql([]);
};

describe('The description of the API', () => {
  it('is valid OpenAPI 3.1', async () => {
    const servers = [{ url: 'https://example.com/v1' }];
    const result = await new Validator().validate({ ...description, servers });
    expect(result.errors ?? []).to.eql([]);
    expect(result.valid).to.equal(true);
  });

  it('has every route, and nothing else', () => {
    const described = Object.entries(description.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described).to.have.members(routes.map(nameOf));
  });

  it('gives every operation a unique name', () => {
    const names = routes.map(({ operationId }) => operationId);
    expect(new Set(names).size).to.equal(names.length);
  });

  it('has an example of every rejection', () => {
    const named = new Set(routes.flatMap(({ rejections }) => rejections));
    const unnamed = Object.keys(rejections).filter((code) => !named.has(code as RejectionCode));
    // Every path with an actor or an organization, every route of API keys, and every write, has them.
    expect(unnamed).to.eql([
      'role_required',
      'permission_missing',
      'organization_suspended',
      'session_revoked',
      'actor_id_invalid',
    ]);
  });

  it('links records that a route creates, or only lists, to the operations that take their id', () => {
    const linksOf = (path: string, method: string, status: string) =>
      description.paths[path]?.[method]?.responses[status]?.links;
    const grants = '/apps/{appId}/rooms/{roomId}/actors';
    const [appId, roomId] = ['$request.path.appId', '$request.path.roomId'];
    const roomActorAccessId = '$response.body#/roomActorAccessId';
    expect(linksOf(grants, 'post', '201')).to.eql({
      revokeRoomGrant: { operationId: 'revokeRoomGrant', parameters: { appId, roomId, roomActorAccessId } },
    });
    const queue = '/organizations/{orgId}/webhook-dlq';
    const entries = linksOf(queue, 'get', '200') as Record<string, { parameters: object }>;
    expect(entries).to.have.all.keys(
      'getDeadLetter',
      'markDeadLetterDead',
      'deleteDeadLetter',
      'redriveDeadLetter',
    );
    const dlqId = '$response.body#/data/0/dlqId';
    expect(entries['getDeadLetter']?.parameters).to.eql({ orgId: '$request.path.orgId', dlqId });
    expect(linksOf('/scopes', 'get', '200')).to.equal(undefined);
  });

  it('has valid examples in its schemas', () => {
    const withExamples = Object.entries(description.components.schemas as Record<string, Schema>).flatMap(
      ([name, { examples = [] }]) => examples.map((example) => [name, example] as const),
    );
    expect(withExamples.map(([name]) => name)).to.eql(['NewMessages', 'PublishResults']);
    for (const [name, example] of withExamples) expectValid(['components', 'schemas', name], example);
  });

  for (const route of routes)
    describe(nameOf(route), () => {
      const { method, path } = route;
      const operation = operationOf(route);

      if (route.body !== undefined)
        it('has an example body that both its own schema and the described one accept', () => {
          const content = operation.requestBody?.content ?? {};
          expect(Object.keys(content)).to.eql(
            route.readBody ? ['application/json', 'application/msgpack'] : ['application/json'],
          );
          for (const [type, { example }] of Object.entries(content)) {
            expect(example).to.be.an('object');
            bodyValidator(route.body ?? {})(example);
            expectValid(['paths', path, method, 'requestBody', 'content', type, 'schema'], example);
          }
        });

      it('describes the rate limit and the request id', () => {
        const { '429': limited } = operation.responses;
        expect(limited?.headers).to.include.keys('retry-after', 'x-request-id');
        const expected = route.hasOwnRate
          ? { error: 'rate_limit_exceeded' }
          : { message: 'Too many requests, please slow down' };
        expect(examplesIn(limited?.content?.['application/json'])[0]).to.include(expected);
        const names = operation.parameters.map((parameter) => parameter.name);
        expect(names).to.include('x-request-id');
      });

      it('has a valid example for each status', () => {
        for (const [status, response] of Object.entries(operation.responses)) {
          const media = response.content?.['application/json'];
          if (status === '204') expect(media).to.equal(undefined);
          else
            for (const example of examplesIn(media))
              expectValid(
                ['paths', path, method, 'responses', status, 'content', 'application/json', 'schema'],
                example,
              );
        }
      });
    });

  const examplesIn = (media: Media | undefined): unknown[] => {
    const referred = Object.keys(media?.examples ?? {}).map(
      (name) => description.components.examples[name]?.value,
    );
    const all = media?.example === undefined ? referred : [...referred, media.example];
    expect(all).to.not.be.empty;
    expect(all).to.not.include(undefined);
    return all;
  };
});
