import type { LookupAddress } from 'node:dns';
import { expect } from 'chai';
import {
  isForbiddenHost,
  isPublicAddress,
  createGuardedLookup,
  ForbiddenAddress,
  isNetwork,
  within,
  reachOf,
} from '../../src/deliver/addresses.js';

const forbidden = [
  [
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '10.255.255.255',
    '100.64.0.1',
    '100.127.255.254',
    '127.0.0.1',
    '127.255.0.9',
  ],
  ['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.8', '192.0.2.1', '192.168.1.1', '198.18.0.1'],
  ['198.19.255.255', '198.51.100.7', '203.0.113.9', '224.0.0.1', '239.1.1.1', '240.0.0.1', '255.255.255.255'],
  [
    '::',
    '::1',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:0:127.0.0.1',
    'fc00::1',
    'fdff::1',
    'fe80::1',
  ],
  ['fe80::1%eth0', 'fec0::1', 'ff02::1', '64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::1', '100::1'],
  [
    '2001::1',
    '2001:db8::1',
    '2001:2::1',
    '2001:1ff::1',
    '3fff::1',
    '2002:7f00:1::',
    '2002:808:808::1',
    '4000::1',
    'not an address',
    '',
  ],
].flat();

const open = [
  '8.8.8.8',
  '1.1.1.1',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.0.1',
  '172.32.0.1',
  '2606:4700::1111',
];

describe('[HOOK-SSRF-1] a public address', () => {
  it('is not private, reserved, or an alias of another', () => {
    for (const address of forbidden) expect(isPublicAddress(address), address).to.equal(false);
  });

  it('is any other address', () => {
    for (const address of open) expect(isPublicAddress(address), address).to.equal(true);
  });

  it('may be written in the URL in many forms', () => {
    const spellings = [
      [
        '127.0.0.1',
        '127.1',
        '2130706433',
        '0x7f000001',
        '0x7f.1',
        '017700000001',
        '0177.0.0.1',
        '127.0.0.1.',
      ],
      [
        '127。0。0。1',
        '１２７.0.0.1',
        '[::1]',
        '[::ffff:127.0.0.1]',
        '[::ffff:7f00:1]',
        '[0:0:0:0:0:0:0:1]',
        '0',
      ],
      ['localhost', 'LOCALHOST', 'localhost.', 'app.localhost', 'app.localhost.', '0xa9fea9fe', '3232235777'],
    ].flat();
    for (const host of spellings)
      expect(isForbiddenHost(new URL(`http://${host}/x`), isPublicAddress), host).to.equal(true);
    for (const host of ['8.8.8.8', '134744072', 'example.com', 'localhost.example.com', 'notlocalhost'])
      expect(isForbiddenHost(new URL(`http://${host}:81/x`), isPublicAddress), host).to.equal(false);
  });
});

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
  it('returns the addresses that it has checked', async () => {
    const addresses = [v4('8.8.8.8'), { address: '2606:4700::1111', family: 6 }];
    expect(await lookUp(addresses, true)).to.eql(addresses);
    expect(await lookUp(addresses, false)).to.eql(['8.8.8.8', 4]);
  });

  it('fails if any of them is not public', async () => {
    for (const all of [true, false])
      for (const bad of ['127.0.0.1', '10.1.2.3', '169.254.169.254'])
        for (const addresses of [[v4(bad)], [v4('8.8.8.8'), v4(bad)]])
          expect(await lookUp(addresses, all), bad).to.be.instanceOf(ForbiddenAddress);
  });

  it('fails for a name without an address', async () => {
    expect(await lookUp([], false)).to.include({ code: 'ENOTFOUND' });
  });
});

describe('[HOOK-SSRF-3] the networks that webhooks may reach', () => {
  it('are written as networks, or as single addresses', () => {
    for (const text of [
      '10.0.0.0/8',
      '10.1.2.3',
      '0.0.0.0/0',
      '192.168.1.7/32',
      'fd00::/8',
      '::1',
      '::/0',
      '::1/128',
    ])
      expect(isNetwork(text), text).to.equal(true);
    for (const text of ['', '10.0.0.0/33', '::/129', '10.0.0/8', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/+8'])
      expect(isNetwork(text), text).to.equal(false);
    for (const text of ['example.com', 'fe80::1%eth0', '10.0.0.0-10.0.0.9', '*', '300.0.0.1', '/8'])
      expect(isNetwork(text), text).to.equal(false);
  });

  it('contain their addresses, in any notation', () => {
    const isIn = within(['10.1.0.0/16', '192.168.1.7', 'fd00::/8']);
    for (const address of [
      '10.1.0.0',
      '10.1.255.255',
      '192.168.1.7',
      'fd12::1',
      '::ffff:10.1.2.3',
      '::ffff:a01:203',
    ])
      expect(isIn(address), address).to.equal(true);
    for (const address of ['10.2.0.0', '192.168.1.8', 'fc00::1', '::ffff:10.2.0.1', 'nonsense', ''])
      expect(isIn(address), address).to.equal(false);
  });

  const addresses = ['8.8.8.8', '10.1.2.3', '10.9.9.9', '127.0.0.1', '2606:4700::1111', '::1'];
  const reached = (options: Parameters<typeof reachOf>[0]): readonly string[] => {
    const isAllowed = reachOf(options);
    return addresses.filter((address) => isAllowed?.(address) ?? true);
  };

  it('are the public ones, and those that are allowed in addition', () => {
    expect(reached({ allowPrivate: false })).to.eql(['8.8.8.8', '2606:4700::1111']);
    expect(reached({ allowPrivate: false, allowNetworks: ['10.1.0.0/16', '::1'] })).to.eql([
      '8.8.8.8',
      '10.1.2.3',
      '2606:4700::1111',
      '::1',
    ]);
  });

  it('never include denied ones', () => {
    const denyNetworks = ['10.1.2.0/24', '8.8.8.8', '::1'];
    expect(reached({ allowPrivate: true, denyNetworks })).to.eql([
      '10.9.9.9',
      '127.0.0.1',
      '2606:4700::1111',
    ]);
    expect(reached({ allowPrivate: false, allowNetworks: ['10.0.0.0/8'], denyNetworks })).to.eql([
      '10.9.9.9',
      '2606:4700::1111',
    ]);
  });

  it('require no check when all are allowed', () => {
    expect(reachOf({ allowPrivate: true })).to.equal(undefined);
    expect(reachOf({ allowPrivate: true, allowNetworks: ['10.0.0.0/8'] })).to.equal(undefined);
  });
});
