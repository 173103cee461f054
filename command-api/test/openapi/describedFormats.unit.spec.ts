import { expect } from 'chai';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { formats } from '../../src/http/validation.js';
import { describedFormats } from '../../src/openapi/describeSchema.js';

type Format = keyof typeof formats;

const seed = { seed: 20261121, numRuns: 3000 };

/** Text in which the characters that the formats distinguish are as likely as any other. */
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'aZ0-:/.T+ \t\n\0\x1c\x7f\xa0\u00e9\u200b\u2028\u3000\u3164\ufeff') }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('Host', 'te', 'Proxy-X', 'proxy', 'X-Host', 'Keep-Alive', 'a b', 'TRAILER', 'é', ''),
);

const described = (format: Format) => {
  const { format: known, ...schema } = describedFormats[format] ?? {};
  void known;
  return new Ajv2020({ strict: false }).compile({ type: 'string', ...schema });
};

describe('Described formats', () => {
  for (const format of ['display-name', 'webhook-header-name', 'header-value'] as const)
    it(`says of ${format} what is checked`, () => {
      const accepts = described(format);
      fc.assert(
        // That a name is not empty is said by its length.
        fc.property(
          text.filter((value) => value !== ''),
          (value) => {
            expect([value, accepts(value)]).to.eql([value, formats[format](value)]);
          },
        ),
        seed,
      );
    });

  it('describes every time that is accepted', () => {
    const accepts = described('date-time');
    const stamp = fc.date({ noInvalidDate: true, min: new Date('0000-01-01'), max: new Date('9999-12-31') });
    const offset = fc.constantFrom('Z', '+01:00', '-23:59', '+24:00', '+0100', 'z', '');
    fc.assert(
      fc.property(stamp, offset, fc.constantFrom('', '.5', '.123456789', '.'), (date, zone, fraction) => {
        const time = `${date.toISOString().slice(0, 19)}${fraction}${zone}`;
        const isTime = date.getUTCFullYear() > 0 && formats['date-time'](time);
        if (date.getUTCFullYear() > 0) expect([time, accepts(time)]).to.eql([time, isTime]);
      }),
      seed,
    );
  });

  it('describes only webhook URLs that are accepted', () => {
    const { pattern } = describedFormats['webhook-url'] as { pattern: string };
    fc.assert(
      fc.property(fc.stringMatching(new RegExp(pattern)), (url) => {
        expect([url, url.length > 2048 || formats['webhook-url'](url)]).to.eql([url, true]);
      }),
      { ...seed, numRuns: 1000 },
    );
  });

  it('has examples that are accepted', () => {
    for (const [format, { examples }] of Object.entries(describedFormats))
      for (const example of examples as string[])
        expect([format, described(format as Format)(example), formats[format as Format](example)]).to.eql([
          format,
          true,
          true,
        ]);
  });
});
