import { expect } from 'chai';
import { addressesOf } from '../../src/cli/serverOptions.js';

describe('the address of a service', () => {
  const cases: readonly (readonly [given: string, apiUrl: string, gatewayUrl: string])[] = [
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080', 'ws://127.0.0.1:8080/ws'],
    ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080', 'ws://127.0.0.1:8080/ws'],
    ['ws://127.0.0.1:8080/ws', 'http://127.0.0.1:8080', 'ws://127.0.0.1:8080/ws'],
    ['https://example.com/live', 'https://example.com/live', 'wss://example.com/live/ws'],
    ['wss://example.com/live/ws', 'https://example.com/live', 'wss://example.com/live/ws'],
    ['wss://example.com/socket', 'https://example.com/socket', 'wss://example.com/socket'],
  ];
  for (const [given, apiUrl, gatewayUrl] of cases)
    it(`${given} is that of the API and of the gateway`, () =>
      expect(addressesOf(given)).to.eql({ apiUrl, gatewayUrl }));

  it('has an API elsewhere where that is given', () =>
    expect(addressesOf('ws://gateway/ws', 'https://api/')).to.eql({
      ...{ apiUrl: 'https://api', gatewayUrl: 'ws://gateway/ws' },
    }));

  it('is nothing else', () => {
    for (const [url, apiUrl] of [['example.com'], ['ftp://a'], [''], ['http://a', 'ws://a']] as const)
      expect(addressesOf(url, apiUrl), url).to.equal(undefined);
  });
});
