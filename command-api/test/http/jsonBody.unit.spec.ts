import { Readable } from 'node:stream';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect } from 'chai';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { ErrorAnswer } from '../../src/http/errors.js';
import { readJsonBody } from '../../src/http/jsonBody.js';

const at = { id: 'r1', now: '2026-01-01T00:00:00.000Z' };

const read = (text: string): Promise<unknown> => {
  const headers = { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(text)}` };
  const request = Object.assign(Readable.from([Buffer.from(text)]), { headers });
  return readJsonBody(request as unknown as IncomingMessage, {} as ServerResponse, at);
};

const refusalOf = (text: string): Promise<unknown> =>
  read(text).then(
    () => undefined,
    (error: unknown) => (error instanceof ErrorAnswer ? error.body : error),
  );

describe('the body of a request', () => {
  const deepest = limitTable.bodyNesting.value;
  const refused = {
    message: 'Validation failed',
    errors: [{ path: '', value: null, message: `must not be nested deeper than ${deepest} levels` }],
  };

  for (const [size, padding] of [
    ['small', ''],
    ['large', ' '.repeat(100_000)],
  ] as const)
    it(`may be nested to the limit, and not a level deeper, when it is ${size}`, async () => {
      for (const [open, close, levels] of [
        ['[', ']', 1],
        ['{"a":[', ']}', 2],
      ] as const) {
        const times = deepest / levels;
        const text = `[${open.repeat(times)}${close.repeat(times)}]`;
        expect(await read(padding + text)).to.eql(JSON.parse(text));
        expect(await refusalOf(`${padding}[${text}]`)).to.eql(refused);
      }
    });
});
