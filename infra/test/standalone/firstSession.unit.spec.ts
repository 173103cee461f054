import { expect } from 'chai';
import { firstSession } from '../../src/standalone/firstStart.js';

const credentials = {
  ...{ organizationId: 'o1', projectId: 'p1', apiKeyId: 'k1' },
  ...{ apiKey: 'ak_live_1.the-secret', sessionToken: 'the.session.token' },
};
const printed = (isTerminal: boolean, file = '/data/credentials.json') =>
  firstSession(
    'http://127.0.0.1:8080',
    { credentialsFile: file, credentials, signInCode: 'the-code' },
    isTerminal,
  );

describe('the text of the first start', () => {
  it('shows secrets on a terminal, and where they are anywhere else', () => {
    expect(printed(true)).to.include('ak_live_1.the-secret').and.include('the.session.token');
    expect(printed(false)).to.not.include('the-secret').and.not.include('the.session.token');
    expect(printed(true)).to.include('  http://127.0.0.1:8080/console#code=the-code\n');
    expect(printed(false)).to.not.include('#code');
    for (const text of [printed(true), printed(false)]) expect(text).to.include('/data/credentials.json');
  });

  it('has commands to paste that read the key from the file, wherever that is', () => {
    for (const isTerminal of [true, false]) {
      const [, commands] = printed(isTerminal, "/it's here/credentials.json").split('in this folder:\n\n');
      expect(commands).to.include("KEY=$(field apiKey < '/it'\\''s here/credentials.json')");
      expect(commands).to.not.include('the-secret');
    }
  });
});
