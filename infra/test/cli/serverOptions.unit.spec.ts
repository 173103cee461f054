import { expect } from 'chai';
import { addressesOf, keptFor } from '../../src/cli/serverOptions.js';

describe('what is kept of a service', () => {
  const secrets = { apiKey: 'k', session: 's', token: 't' };
  const profile = { url: 'wss://gateway/ws', apiUrl: 'https://api', ...secrets };
  const sentTo = (apiUrl: string, gatewayUrl: string) => {
    const { apiKey, session, token } = keptFor({ apiUrl, gatewayUrl }, profile);
    return [apiKey, session, token];
  };

  it('is sent to the address that it is for, and to no other', () => {
    const none = undefined;
    expect(sentTo('https://api', 'wss://gateway/ws')).to.eql(['k', 's', 't']);
    expect(sentTo('https://api', 'wss://elsewhere/ws')).to.eql(['k', 's', none]);
    expect(sentTo('https://elsewhere', 'wss://gateway/ws')).to.eql([none, none, 't']);
    expect(sentTo('https://elsewhere', 'wss://elsewhere/ws')).to.eql([none, none, none]);
  });
});

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
