import { expect } from 'chai';
import { isLoopbackHost, isNetwork, within } from '../../src/runtime/networks.js';

describe('networks', () => {
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

  it('tell which hosts are reached from this machine alone', () => {
    for (const host of ['127.0.0.1', '127.9.9.9', '::1', 'localhost', 'LOCALHOST.', '::ffff:127.0.0.1'])
      expect(isLoopbackHost(host), host).to.equal(true);
    for (const host of ['0.0.0.0', '::', '10.0.0.1', 'localhost.example.com', 'example.com', ''])
      expect(isLoopbackHost(host), host).to.equal(false);
  });
});
