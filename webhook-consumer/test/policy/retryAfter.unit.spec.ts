import { expect } from 'chai';
import { retryAfterMs } from '../../src/policy/retryAfter.js';

const now = Date.parse('2026-11-06T08:49:00Z');

describe('[HOOK-RETRY-6] Retry-After', () => {
  it('is a number of seconds', () => {
    expect(retryAfterMs('0', now)).to.equal(0);
    expect(retryAfterMs(' 120 ', now)).to.equal(120_000);
  });

  it('is a date of HTTP, in any of its forms; one that has passed asks for no wait', () => {
    expect(retryAfterMs('Fri, 06 Nov 2026 08:49:37 GMT', now)).to.equal(37_000);
    expect(retryAfterMs('Friday, 06-Nov-26 08:49:37 GMT', now)).to.equal(37_000);
    expect(retryAfterMs('Thu, 05 Nov 2026 08:49:37 GMT', now)).to.equal(0);
  });

  it('is a date in UTC in the form that names no zone, whatever the zone of this machine', () => {
    const { TZ } = process.env;
    process.env['TZ'] = 'America/New_York';
    try {
      expect(retryAfterMs('Fri Nov  6 08:49:37 2026', now)).to.equal(37_000);
      expect(retryAfterMs('Mon Nov 16 08:49:00 2026', now)).to.equal(10 * 86_400_000);
    } finally {
      if (TZ === undefined) delete process.env['TZ'];
      else process.env['TZ'] = TZ;
    }
  });

  it('is nothing where it cannot be read', () => {
    for (const header of [
      undefined,
      '',
      'soon',
      '-1',
      '1.5',
      '1e3',
      '2026-11-06',
      '12345678901',
      'Fri, 99 Foo',
    ])
      expect(retryAfterMs(header, now), header).to.equal(undefined);
  });
});
