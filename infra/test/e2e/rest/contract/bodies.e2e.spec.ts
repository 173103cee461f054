import { expect } from 'chai';
import type { Answer } from '../../../support/conformance.js';
import { expectApplicationError, expectValidationError } from '../../../support/shapes.js';
import { expectAnswer } from './answers.js';
import { bodyTable } from './bodies.js';
import { endpoints, nameOf, type Endpoint } from './endpoints.js';
import type { Field, Kind, Wrong } from './fields.js';
import { call, callerOf, inCase, json, idsOf, openWorld, pathWith, type World } from './world.js';

const samples: Readonly<Record<Exclude<Kind, 'anything'>, readonly unknown[]>> = {
  text: ['text'],
  number: [7, 0, -1.5],
  flag: [true, false],
  object: [{}],
  list: [[]],
};

/** A value of every other JSON type. */
const otherTypes = ({ kind, orNull }: Field): readonly unknown[] =>
  kind === 'anything'
    ? []
    : Object.entries({ ...samples, null: orNull ? [] : [null] })
        .filter(([other]) => other !== kind)
        .flatMap(([, values]) => values);

const wrongsOf = (field: Field): readonly Wrong[] => [
  ...field.wrong,
  ...otherTypes(field).map((value) => ({ value })),
];

/** 400 in the validation shape, with an entry for each failed constraint, all of them at this path. */
const expectFailureAt = (answer: Answer, path: string): void => {
  const entries = answer.body?.errors as { path: string }[] | undefined;
  expectValidationError(answer, ...(entries?.map(() => path) ?? [path]));
  expect(entries).to.not.eql([]);
};

describe('REST contract: bodies', () => {
  let world: World;

  before(async () => void (world = await openWorld()));
  after(() => world.close());

  const send = (
    endpoint: Endpoint,
    body: string | Buffer | undefined,
    headers: Record<string, string> = json,
  ) =>
    callerOf(world, endpoint).send(pathWith(endpoint, idsOf(world.own, endpoint)), {
      method: endpoint.method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
  const answerTo = (endpoint: Endpoint, body: unknown) =>
    call(callerOf(world, endpoint), endpoint, idsOf(world.own, endpoint), body);

  /** A change shows in its answer and in every later one. */
  const expectStored = async (endpoint: Endpoint, name: string, value: unknown, changed: any) => {
    if (name === 'expiresAt')
      expect(changed[name]).to.equal(value && new Date(value as string).toISOString());
    else if (name === 'plan') expect(changed[name]).to.include(value);
    else expect(changed[name]).to.eql(value);
    expect((await callerOf(world, endpoint).get(pathWith(endpoint, world.own.ids))).body).to.eql(changed);
  };

  /** A type of actor has one grant on a room, a project two webhook secrets. */
  const undo = async (endpoint: Endpoint, { roomActorAccessId, webhookSecretId }: any) => {
    if (webhookSecretId !== undefined) {
      const secret = `${pathWith(endpoint, world.own.ids)}/${webhookSecretId}`;
      expect((await world.service.operator.delete(secret)).status).to.equal(204);
    }
    if (roomActorAccessId === undefined) return;
    const path = `${pathWith(endpoint, world.own.ids)}/${roomActorAccessId}`;
    expect((await world.own.project.delete(path)).status).to.equal(204);
  };

  for (const endpoint of endpoints.filter(({ body }) => body !== undefined)) {
    const { required, fields, refused, valid } = bodyTable(endpoint.body as NonNullable<Endpoint['body']>);

    describe(nameOf(endpoint), () => {
      for (const [name, field] of Object.entries(fields))
        it(`refuses a wrong ${name}, and names its path`, async () => {
          for (const { value, below } of wrongsOf(field))
            await inCase(JSON.stringify(value), async () => {
              const answer = await answerTo(endpoint, { ...valid(), ...field.alongside, [name]: value });
              expectFailureAt(answer, below === undefined ? name : `${name}.${below}`);
            });
        });

      it('accepts every valid value of a field', async () => {
        for (const [name, field] of Object.entries(fields))
          for (const value of [...field.right, ...(field.orNull ? [null] : [])])
            await inCase(`${name} ${JSON.stringify(value)}`, async () => {
              const answer = await answerTo(endpoint, { ...valid(), [name]: value });
              expect(answer.status, JSON.stringify(answer.body)).to.equal(endpoint.status);
              expectAnswer(endpoint.answer, answer.body);
              if (endpoint.method === 'PATCH') await expectStored(endpoint, name, value, answer.body);
              await undo(endpoint, answer.body);
            });
      });

      it('requires each of the required fields', async () => {
        for (const name of required)
          await inCase(name, async () => {
            const rest = Object.fromEntries(Object.entries(valid()).filter(([field]) => field !== name));
            expectValidationError(await answerTo(endpoint, rest), name);
          });
        if (required.length > 0) expectValidationError(await answerTo(endpoint, {}), ...required);
      });

      it('refuses each field that it does not list', async () => {
        const unknown = ['unknown', '', 'constructor', 'Name', 'name ', 'a.b', ...refused];
        for (const name of unknown)
          await inCase(name, async () => {
            const answer = await answerTo(endpoint, { ...valid(), [name]: 'x' });
            expectValidationError(answer, name);
            expect(answer.body.errors[0].value).to.equal('x');
          });
        const all = { ...valid(), ...Object.fromEntries(unknown.map((name) => [name, 1])) };
        expectValidationError(await answerTo(endpoint, all), ...unknown);
        for (const body of ['{"__proto__":{"a":1}}', '{"metadata":{"a":{"__proto__":{"polluted":true}}}}'])
          expectValidationError(await send(endpoint, body), '__proto__');
        expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
      });

      it('refuses a body that is missing or not an object', async () => {
        for (const body of ['[]', 'null', '7', 'true', '"x"', '[{}]'])
          await inCase(body, async () => expectValidationError(await send(endpoint, body), ''));
        for (const headers of [{}, json]) expectValidationError(await send(endpoint, undefined, headers), '');
        const nested = `{"metadata":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
        expectValidationError(await send(endpoint, nested), '');
      });

      it('refuses invalid JSON', async () => {
        const bodies = ['{', '{"name":}', "{'name':'x'}", '{"name":"x",}', '{} {}', 'NaN', '\ufeff{}', ' '];
        for (const body of [...bodies, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])])
          await inCase(String(body), async () =>
            expectApplicationError(await send(endpoint, body), 400, 'The body is not valid JSON'),
          );
      });

      it('refuses another content type, and a body that is too large', async () => {
        const body = JSON.stringify(valid());
        for (const type of [
          'text/plain',
          'application/x-www-form-urlencoded',
          'multipart/form-data',
          'text/json',
          'application/json; charset=latin1',
        ])
          await inCase(type, async () =>
            expectApplicationError(
              await send(endpoint, body, { 'content-type': type }),
              415,
              'Content-Type must be application/json',
            ),
          );
        const large = `{"name":"${'x'.repeat(1024 * 1024)}"}`;
        expectApplicationError(await send(endpoint, large), 413, 'The body is larger than 1048576 bytes');
      });

      it('names every constraint that fails', async () => {
        const wrong = Object.entries(fields).flatMap(([name, { kind }]) =>
          kind === 'anything' ? [] : [[name, kind === 'object' ? 7 : {}] as const],
        );
        const answer = await answerTo(endpoint, { ...valid(), ...Object.fromEntries(wrong), unknown: 1 });
        const paths = new Set((answer.body.errors as { path: string }[]).map(({ path }) => path));
        expect([...paths]).to.have.members([...wrong.map(([name]) => name), 'unknown']);
      });
    });
  }

  it('log no error', () => {
    expect(world.service.logLines.filter(({ level }) => level === 'error')).to.eql([]);
  });
});
