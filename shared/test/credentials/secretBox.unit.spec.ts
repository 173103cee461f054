import { Buffer } from 'node:buffer';
import { createDecipheriv, createHash, createHmac } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { createSecretBox, deriveKey, deriveKeys, SecretNotOpened } from '../../src/credentials/secretBox.js';
import type { SealedSecret } from '../../src/domain/signingKey.js';

const oldKey = new Uint8Array(32).fill(1);
const newKey = new Uint8Array(32).fill(2);
const box = createSecretBox({ current: oldKey });

const reasonOf = (open: () => unknown): string => {
  try {
    open();
    return 'opened';
  } catch (error) {
    if (!(error instanceof SecretNotOpened)) throw error;
    expect(error.message).to.not.match(/plain|secret-/);
    return error.reason;
  }
};

describe('the secret box', () => {
  it('opens what it has sealed, with any text and owner', () => {
    const anyText = fc.string({ unit: 'grapheme', maxLength: 300 });
    fc.assert(
      fc.property(anyText, anyText, (plain, boundTo) => {
        expect(box.open(box.seal(plain, boundTo), boundTo)).to.equal(plain);
      }),
      { seed: 7 },
    );
  });

  it('names the master key by a hash of it, and uses plain AES-256-GCM', () => {
    const expected = createHash('sha256').update('roomwire master key').update(oldKey).digest('hex');
    expect(box.currentKeyId).to.equal(expected.slice(0, 16));
    const { masterKeyId, iv, ciphertext, tag } = box.seal('plain', 'k1');
    expect(masterKeyId).to.equal(box.currentKeyId);
    const opening = createDecipheriv('aes-256-gcm', oldKey, Buffer.from(iv, 'base64url'));
    opening.setAAD(Buffer.from('k1')).setAuthTag(Buffer.from(tag, 'base64url'));
    const bytes = [opening.update(Buffer.from(ciphertext, 'base64url')), opening.final()];
    expect(Buffer.concat(bytes).toString()).to.equal('plain');
    expect([iv, tag].map((text) => Buffer.from(text, 'base64url').length)).to.eql([12, 16]);
  });

  it('never seals alike twice', () => {
    const sealed = Array.from({ length: 1000 }, () => box.seal('plain', 'k1'));
    for (const part of ['iv', 'ciphertext', 'tag'] as const)
      expect(new Set(sealed.map((each) => each[part])), part).to.have.property('size', 1000);
  });

  it('opens nothing for another owner, and nothing that was changed', () => {
    const sealed = box.seal('plain', 'k1');
    expect(reasonOf(() => box.open(sealed, 'k2'))).to.equal('not_authentic');
    for (const part of ['iv', 'ciphertext', 'tag'] as const) {
      const bytes = Buffer.from(sealed[part], 'base64url');
      bytes[0] = (bytes[0] ?? 0) ^ 1;
      const changed: SealedSecret = { ...sealed, [part]: bytes.toString('base64url') };
      expect(
        reasonOf(() => box.open(changed, 'k1')),
        part,
      ).to.equal('not_authentic');
      const cut: SealedSecret = { ...sealed, [part]: bytes.subarray(0, 4).toString('base64url') };
      expect(
        reasonOf(() => box.open(cut, 'k1')),
        part,
      ).to.equal('not_authentic');
    }
  });

  it('opens with every configured key, and seals with the current one', () => {
    const sealed = box.seal('plain', 'k1');
    const rotated = createSecretBox({ current: newKey, previous: [oldKey] });
    expect(rotated.open(sealed, 'k1')).to.equal('plain');
    expect(rotated.seal('plain', 'k1').masterKeyId)
      .to.equal(rotated.currentKeyId)
      .and.not.equal(box.currentKeyId);
    expect(reasonOf(() => createSecretBox({ current: newKey }).open(sealed, 'k1'))).to.equal(
      'unknown_master_key',
    );
    const renamed = { ...sealed, masterKeyId: rotated.currentKeyId };
    expect(reasonOf(() => rotated.open(renamed, 'k1'))).to.equal('not_authentic');
  });

  it('refuses a key of another length', () => {
    for (const bytes of [0, 16, 31, 33]) {
      expect(() => createSecretBox({ current: new Uint8Array(bytes) })).to.throw(RangeError);
      expect(() => createSecretBox({ current: newKey, previous: [new Uint8Array(bytes)] })).to.throw(
        RangeError,
      );
    }
  });
});

describe('keys that are derived from a master key', () => {
  const boxOf = (
    current: Uint8Array,
    purpose: 'signingKeys' | 'webhookSecrets',
    previous: Uint8Array[] = [],
  ) => createSecretBox(deriveKeys({ current, previous }, purpose));

  it('are HKDF-SHA-256 of it, without a salt', () => {
    const pseudorandom = createHmac('sha256', Buffer.alloc(32)).update(oldKey).digest();
    const expected = createHmac('sha256', pseudorandom)
      .update('roomwire webhook secrets')
      .update('\x01')
      .digest();
    expect(Buffer.from(deriveKey(oldKey, 'webhookSecrets'))).to.eql(expected);
  });

  it('open what is sealed for their purpose, and nothing else', () => {
    const sealed = boxOf(oldKey, 'signingKeys').seal('plain', 'k1');
    const alone = createSecretBox({ current: deriveKey(oldKey, 'signingKeys') });
    expect(alone.open(sealed, 'k1')).to.equal('plain');
    expect(reasonOf(() => boxOf(oldKey, 'webhookSecrets').open(sealed, 'k1'))).to.equal('unknown_master_key');
    expect(reasonOf(() => box.open(sealed, 'k1'))).to.equal('unknown_master_key');
  });

  it('leave it to the master key to open what it sealed before there were any', () => {
    const sealed = box.seal('plain', 'k1');
    expect(boxOf(oldKey, 'signingKeys').open(sealed, 'k1')).to.equal('plain');
    expect(boxOf(newKey, 'signingKeys', [oldKey]).open(sealed, 'k1')).to.equal('plain');
    const alone = createSecretBox({ current: deriveKey(oldKey, 'signingKeys') });
    expect(reasonOf(() => alone.open(sealed, 'k1'))).to.equal('unknown_master_key');
  });

  it('of previous master keys open what those sealed', () => {
    const sealed = boxOf(oldKey, 'signingKeys').seal('plain', 'k1');
    expect(boxOf(newKey, 'signingKeys', [oldKey]).open(sealed, 'k1')).to.equal('plain');
  });
});
