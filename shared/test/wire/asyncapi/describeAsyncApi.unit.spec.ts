import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { encode } from '@msgpack/msgpack';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import fc from 'fast-check';
import { describeAsyncApi, messageIds } from '../../../src/wire/asyncapi/describeAsyncApi.js';
import { clientFrames, type ClientFrameSpec } from '../../../src/wire/protocol/clientFrames.js';
import { parseFrame } from '../../../src/wire/protocol/parseFrame.js';
import {
  protocolErrors,
  renderProtocolError,
  type ProtocolErrorName,
} from '../../../src/wire/protocol/protocolErrors.js';
import { serverFrames } from '../../../src/wire/protocol/serverFrames.js';
import { expectDescribed } from '@roomwire/testing/clients/describedFrames';

type Frame = Readonly<Record<string, unknown>>;

interface Document {
  readonly channels: Readonly<Record<string, { readonly messages: Readonly<Record<string, object>> }>>;
  readonly operations: Readonly<Record<string, unknown>>;
}

const document = JSON.parse(JSON.stringify(describeAsyncApi())) as Document;
const clientRows = Object.entries<ClientFrameSpec>(clientFrames);

const parsed = (frame: Frame) => parseFrame(Buffer.from(encode(frame)), false);
const isDescribed = (side: 'client' | 'server', frame: Frame): boolean => {
  try {
    expectDescribed(side, frame);
    return true;
  } catch {
    return false;
  }
};

/** Whatever `$ref` there is. */
const references = (part: unknown): readonly string[] => {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([name, value]) =>
    name === '$ref' ? [String(value)] : references(value),
  );
};

describe('the AsyncAPI document', () => {
  it('is valid AsyncAPI 3.0, and its references resolve', async () => {
    const path = createRequire(import.meta.url).resolve('@asyncapi/specs/schemas/3.0.0-without-$id.json');
    const schema = JSON.parse(await readFile(path, 'utf8')) as object;
    const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
    const validate = ajv.compile(schema);
    expect(validate(document), ajv.errorsText(validate.errors)).to.equal(true);
    for (const reference of references(document)) {
      const found = reference
        .slice('#/'.length)
        .split('/')
        .reduce<unknown>((part, name) => (part as Frame | undefined)?.[name], document);
      expect(found, reference).to.be.an('object');
    }
  });

  it('has every frame of both sides, and an operation for each', () => {
    const socket = document.channels['socket'];
    const ids = [
      ...Object.keys(clientFrames).map(messageIds.client),
      ...Object.keys(serverFrames).map(messageIds.server),
    ];
    expect(socket?.messages).to.have.all.keys(...ids, 'clientHeartbeat', 'serverHeartbeat');
    const used = references(document.operations).map((reference) => reference.split('/').at(-1));
    expect(used).to.include.members(ids);
  });

  for (const [type, { fields, example }] of clientRows)
    it(`describes ${type} as the parser accepts it`, () => {
      const whole = { type, ...example };
      expectDescribed('client', whole);
      expect(parsed(whole)).to.include({ type });
      expect(Object.keys(parsed(whole))).to.include.members(Object.keys(fields));
      for (const [field, { json, isOptional }] of Object.entries(fields)) {
        // What the parser adds is no field of the frame.
        if (json === undefined) continue;
        const without = Object.fromEntries(Object.entries(whole).filter(([name]) => name !== field));
        expect(isDescribed('client', without), `without ${field}`).to.equal(isOptional);
        // A token that is missing is a bad one.
        if (field === 'token') continue;
        expect(parsed(without).type === type, `parsed without ${field}`).to.equal(isOptional);
      }
    });

  it('describes no client frame that the parser refuses', () => {
    const values = fc.oneof(
      fc.constantFrom<unknown>('a', 0, 1, 2, 3, true, false, null, {}, []),
      fc.constantFrom<unknown>(['a', ['b', 'c']], ['a', 'b'], [1], [['a']], { a: 1 }),
    );
    const replacements = fc.array(fc.tuple(fc.nat(20), values), { minLength: 1, maxLength: 2 });
    let described = 0;
    fc.assert(
      fc.property(fc.constantFrom(...clientRows), replacements, ([type, { example }], replaced) => {
        const names = Object.keys(example);
        const frame: Record<string, unknown> = { type, ...example };
        for (const [place, value] of replaced) frame[names[place % names.length] ?? 'type'] = value;
        if (!isDescribed('client', frame)) return;
        described++;
        expect(parsed(frame).type, JSON.stringify(frame)).to.equal(type);
      }),
      { seed: 20260117, numRuns: 5_000 },
    );
    expect(described).to.be.greaterThan(250);
  });

  for (const [type, { example }] of Object.entries(serverFrames))
    it(`has an example of the ${type} that the server sends`, () =>
      expectDescribed('server', { type, ...example }));

  it('has every protocol error, in both versions of the protocol', () => {
    for (const name of Object.keys(protocolErrors) as ProtocolErrorName[])
      for (const version of [1, 2] as const) {
        const error = renderProtocolError(name, version, { topic: 't', msgRef: 'm', lobbyId: 'l' });
        expectDescribed('server', JSON.parse(JSON.stringify(error)) as Frame);
      }
  });

  it('has the conversations of PROTOCOL.md', async () => {
    const text = await readFile(new URL('../../../../../docs/PROTOCOL.md', import.meta.url), 'utf8');
    const lines = text.matchAll(/^C\d? (→|←) (\{.*(?:\n {3,}[^\s…].*)*)/gm);
    const frames = [...lines].flatMap(([, arrow, json = '']) =>
      json.includes(', … }') ? [] : [{ arrow, frame: JSON.parse(json) as Frame }],
    );
    expect(frames).to.have.length.greaterThan(25);
    for (const { arrow, frame } of frames) {
      if (arrow === '←') expectDescribed('server', frame);
      else expect(isDescribed('client', frame)).to.equal(parsed(frame).type !== 'malformed');
    }
  });
});
