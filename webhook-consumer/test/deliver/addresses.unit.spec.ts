import type { LookupAddress } from 'node:dns';
import { expect } from 'chai';
import {
  isForbiddenHost,
  isPublicAddress,
  createGuardedLookup,
  ForbiddenAddress,
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
  const addresses = ['8.8.8.8', '10.1.2.3', '10.9.9.9', '127.0.0.1', '2606:4700::1111', '::1'];
  const reached = (options: Parameters<typeof reachOf>[0]): readonly string[] => {
    const isAllowed = reachOf(options);
    return addresses.filter(isAllowed);
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
});

describe('[HOOK-SSRF-4] link-local and metadata addresses', () => {
  const refused = [
    ...['169.254.169.254', '169.254.0.1', '169.254.255.255', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
    ...['fd00:ec2::254', 'fd20:ce::254', 'fd00:42::42', '100.100.100.200', '192.0.0.192', '168.63.129.16'],
    // Mapped, compatible, translated.
    ...['::ffff:169.254.169.254', '::ffff:a9fe:a9fe', '::169.254.169.254', '::ffff:0:169.254.169.254'],
    // NAT64, with the standard's prefix and with prefixes of networks' own.
    ...['64:ff9b::a9fe:a9fe', '64:ff9b:1::a9fe:a9fe', '64:ff9b:1:a9fe:a9:fe00::', '64:ff9b:1:a9:fe:a9fe::'],
    '64:ff9b:1:0:a9:fea9:fe00:0',
    // 6to4, Teredo (server and client), ISATAP.
    ...['2002:a9fe:a9fe::1', '2001:0:a9fe:a9fe::', '2001:0:808:808::5601:5601'],
    ...['2606:4700::5efe:a9fe:a9fe', '2606:4700::200:5efe:a9fe:a9fe', '2002:6464:64c8::'],
  ];

  it('are refused, whatever is allowed', () => {
    const everything = ['0.0.0.0/0', '::/0', '169.254.0.0/16', 'fe80::/10', ...refused.filter(isPlain)];
    for (const options of [
      { allowPrivate: true },
      { allowPrivate: true, allowNetworks: everything },
      { allowPrivate: false, allowNetworks: everything },
    ]) {
      const isAllowed = reachOf(options);
      for (const address of refused) expect(isAllowed(address), address).to.equal(false);
    }
  });

  it('are refused in every notation of the URL, and behind a name', async () => {
    const isAllowed = reachOf({ allowPrivate: true });
    for (const host of ['169.254.169.254', '0xa9fea9fe', '2852039166', '169.16689662', '[::ffff:a9fe:a9fe]'])
      expect(isForbiddenHost(new URL(`http://${host}/latest`), isAllowed), host).to.equal(true);
    const lookup = createGuardedLookup(isAllowed, (_host, _options, callback) =>
      callback(null, [v4('10.0.0.1'), v4('169.254.169.254')]),
    );
    const error = await new Promise((resolve) => lookup('metadata.example', {}, resolve));
    expect(error).to.be.instanceOf(ForbiddenAddress);
  });

  it('leave the private addresses beside them to the options', () => {
    const isAllowed = reachOf({ allowPrivate: true });
    for (const address of ['169.253.255.255', '169.255.0.0', '10.0.0.1', '127.0.0.1', '::1', 'fd00:ec2::253'])
      expect(isAllowed(address), address).to.equal(true);
    for (const address of ['fec0::1', '::ffff:10.0.0.1', '2606:4700::a9fe:a9fe', '2002:808:808::'])
      expect(isAllowed(address), address).to.equal(true);
    expect(isAllowed('nonsense')).to.equal(false);
  });
});

const isPlain = (address: string): boolean => !address.includes('%');
