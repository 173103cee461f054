import { expect } from 'chai';
import { addressGroup, clientAddress, unknownAddress } from '../../src/runtime/clientAddress.js';

const addressOf = (remoteAddress: string | undefined, forwarded?: string, trustedProxies = 0) =>
  clientAddress({ headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress } }, trustedProxies);

describe('the address of a client', () => {
  it('is the peer of the socket where no proxy is trusted', () => {
    expect(addressOf('192.0.2.1')).to.equal('192.0.2.1');
    expect(addressOf('192.0.2.1', '203.0.113.9')).to.equal('192.0.2.1');
    expect(addressOf(undefined), 'a socket that is closed').to.equal(unknownAddress);
  });

  it('is what the outermost trusted proxy appended, whatever the client wrote in front of it', () => {
    expect(addressOf('10.0.0.1', '203.0.113.9', 1)).to.equal('203.0.113.9');
    expect(addressOf('10.0.0.1', '198.51.100.1, 203.0.113.9', 1)).to.equal('203.0.113.9');
    expect(addressOf('10.0.0.1', '198.51.100.1,203.0.113.9 , 10.0.0.2', 2)).to.equal('203.0.113.9');
  });

  it('is the peer of the socket where the request did not come through all proxies', () => {
    expect(addressOf('10.0.0.1', undefined, 1)).to.equal('10.0.0.1');
    expect(addressOf('10.0.0.1', '203.0.113.9', 2)).to.equal('10.0.0.1');
    expect(addressOf('10.0.0.1', 'unknown', 1)).to.equal('10.0.0.1');
    expect(addressOf('10.0.0.1', '203.0.113.9, ', 1)).to.equal('10.0.0.1');
  });

  it('has one form', () => {
    expect(addressOf('::ffff:192.0.2.1')).to.equal('192.0.2.1');
    expect(addressOf('::FFFF:c000:0201')).to.equal('192.0.2.1');
    expect(addressOf('2001:0DB8:0:0:0:0:0:1')).to.equal('2001:db8::1');
    expect(addressOf('fe80::1%eth0')).to.equal('fe80::1');
    expect(addressOf('10.0.0.1', '203.0.113.9:51234', 1)).to.equal('203.0.113.9');
    expect(addressOf('10.0.0.1', '[2001:db8::1]:443', 1)).to.equal('2001:db8::1');
    expect(addressOf('10.0.0.1', '[2001:db8::1]', 1)).to.equal('2001:db8::1');
  });

  it('is counted by host, which has a whole /64 network in IPv6', () => {
    expect(addressGroup('192.0.2.1')).to.equal('192.0.2.1');
    expect(addressGroup('2001:db8:1:2:3:4:5:6')).to.equal('2001:db8:1:2::/64');
    expect(addressGroup('2001:db8::1')).to.equal('2001:db8:0:0::/64');
    expect(addressGroup('2001:db8:0:1::1')).to.equal('2001:db8:0:1::/64');
    expect(addressGroup('::1')).to.equal('0:0:0:0::/64');
    expect(addressGroup('1:2:3::5:6:7:8')).to.equal('1:2:3:0::/64');
    expect(addressGroup('64:ff9b::192.0.2.1')).to.equal('64:ff9b:0:0::/64');
    expect(addressGroup(unknownAddress)).to.equal(unknownAddress);
  });
});
