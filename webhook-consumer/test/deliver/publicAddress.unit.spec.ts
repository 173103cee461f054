import { expect } from 'chai';
import { isForbiddenHost } from '../../src/deliver/guardedLookup.js';
import { isPublicAddress } from '../../src/deliver/publicAddress.js';

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

describe('[HOOK-SSRF-1] an address of the Internet at large', () => {
  it('is none that is private, reserved, or stands for another', () => {
    for (const address of forbidden) expect(isPublicAddress(address), address).to.equal(false);
  });

  it('is any other', () => {
    for (const address of open) expect(isPublicAddress(address), address).to.equal(true);
  });

  it('may be written in the URL in many ways', () => {
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
