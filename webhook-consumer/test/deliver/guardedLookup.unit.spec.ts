import type { LookupAddress } from 'node:dns';
import { expect } from 'chai';
import { createGuardedLookup, ForbiddenAddress } from '../../src/deliver/guardedLookup.js';
import { isPublicAddress } from '../../src/deliver/publicAddress.js';

const v4 = (address: string): LookupAddress => ({ address, family: 4 });

/** What the look-up of a name gives, when the name has these addresses. */
const lookUp = (addresses: readonly LookupAddress[], all: boolean): Promise<unknown> => {
  let lookups = 0;
  const lookup = createGuardedLookup(isPublicAddress, (_host, _options, callback) => {
    lookups += 1;
    callback(null, [...addresses]);
  });
  return new Promise((resolve) =>
    lookup('example.com', { all }, (error, address, family) => {
      expect(lookups, 'what is checked is what is used').to.equal(1);
      resolve(error ?? (all ? address : [address, family]));
    }),
  );
};

describe('[HOOK-SSRF-2] the look-up of an endpoint', () => {
  it('gives the addresses that it has checked', async () => {
    const addresses = [v4('8.8.8.8'), { address: '2606:4700::1111', family: 6 }];
    expect(await lookUp(addresses, true)).to.eql(addresses);
    expect(await lookUp(addresses, false)).to.eql(['8.8.8.8', 4]);
  });

  it('fails where any of them is not public', async () => {
    for (const all of [true, false])
      for (const bad of ['127.0.0.1', '10.1.2.3', '169.254.169.254'])
        for (const addresses of [[v4(bad)], [v4('8.8.8.8'), v4(bad)]])
          expect(await lookUp(addresses, all), bad).to.be.instanceOf(ForbiddenAddress);
  });

  it('fails for a name without an address', async () => {
    expect(await lookUp([], false)).to.include({ code: 'ENOTFOUND' });
  });
});
