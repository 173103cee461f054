import { expect } from 'chai';
import { systemRandom } from '../../src/adapters/system/systemRandom.js';
import { hashSecret, matchesSecret, mintToken, parseToken } from '../../src/credentials/secretToken.js';

describe('secret tokens', () => {
  it('are a public key id and 256 random bits', () => {
    const { keyId, token, secretHash } = mintToken(systemRandom, 'at_live');
    expect(keyId).to.match(/^at_live_[0-9a-f]{24}$/);
    const parsed = parseToken(token, 'at_live');
    expect(parsed).to.include({ keyId });
    expect(parsed?.secret).to.have.length(43);
    expect(matchesSecret(parsed?.secret ?? '', secretHash)).to.equal(true);
    expect(secretHash).to.not.include(parsed?.secret);
  });

  it('are refused for another kind, and in another form', () => {
    const { token, keyId } = mintToken(systemRandom, 'at_live');
    expect(parseToken(token, 'ak_live')).to.equal(undefined);
    for (const text of [
      '',
      keyId,
      `${keyId}.`,
      `${token}.x`,
      ` ${token}`,
      `${token}\n`,
      `${keyId}.${'x'.repeat(1000)}`,
    ])
      expect(parseToken(text, 'at_live'), text).to.equal(undefined);
  });

  it('match one secret, and none where the key is unknown', () => {
    expect(matchesSecret('right', hashSecret('right'))).to.equal(true);
    expect(matchesSecret('wrong', hashSecret('right'))).to.equal(false);
    expect(matchesSecret('', undefined)).to.equal(false);
  });
});
