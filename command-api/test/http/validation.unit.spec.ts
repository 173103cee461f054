import { expect } from 'chai';
import { constraintsOf, formats } from '../../src/http/validation.js';

describe('a value of a wrong format', () => {
  it('is told what is wanted, not the name of a format that only the service knows', () => {
    const wrong: Partial<Record<keyof typeof formats, string>> = {
      'display-name': '\u200b',
      'token-subject': 'ann',
      'webhook-url': '127.0.0.1:8080/hook',
      'webhook-header-name': 'Host',
      'header-value': '\n',
      network: '10.1.0.0/99',
    };
    const messages = Object.entries(wrong).map(([format, value]) => {
      const [failure] = constraintsOf({ type: 'string', format })(value);
      return failure?.message;
    });
    expect(messages).to.eql([
      'must have a visible character, and no NUL',
      'must be the id or keyId of an actor, or ext: and a name of 1 to 200 characters',
      'must be an http:// or https:// address of at most 2048 characters, without user and password',
      'must be the name of a header that neither frames the call nor is hop-by-hop',
      'must have only characters that a header may have',
      'must be a network, like 10.1.0.0/16',
    ]);
    expect(Object.keys(wrong).sort()).to.eql(
      Object.keys(formats)
        .filter((format) => !['uuid', 'date-time'].includes(format))
        .sort(),
    );
  });
});
