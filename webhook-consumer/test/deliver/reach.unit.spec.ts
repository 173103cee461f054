import { expect } from 'chai';
import { isNetwork, within } from '../../src/deliver/networks.js';
import { reachOf } from '../../src/deliver/reach.js';

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

  it('hold what is in them, however it is written', () => {
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

  it('are those of the Internet at large, and those that are allowed besides', () => {
    expect(reached({ allowPrivate: false })).to.eql(['8.8.8.8', '2606:4700::1111']);
    expect(reached({ allowPrivate: false, allowNetworks: ['10.1.0.0/16', '::1'] })).to.eql([
      '8.8.8.8',
      '10.1.2.3',
      '2606:4700::1111',
      '::1',
    ]);
  });

  it('are never those that are denied', () => {
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

  it('need no check where every one of them may be called', () => {
    expect(reachOf({ allowPrivate: true })).to.equal(undefined);
    expect(reachOf({ allowPrivate: true, allowNetworks: ['10.0.0.0/8'] })).to.equal(undefined);
  });
});
