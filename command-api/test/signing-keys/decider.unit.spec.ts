import type { SealedSecret, SigningKeyEvent, SigningKeyFields } from '@roomwire/shared/domain/signingKey';
import { signingKeyDecider, type SigningKeyCommand } from '../../src/signing-keys/decider.js';
import { sentences } from '../support/deciders.js';

const given = sentences(signingKeyDecider);

const sealedUnder = (masterKeyId: string, iv = 'iv'): SealedSecret => ({
  masterKeyId,
  iv,
  ciphertext: 'c',
  tag: 't',
});
const fields: SigningKeyFields = {
  signingKeyId: 'k1',
  projectId: 'p1',
  keyId: 'sk_live_1',
  name: 'Backend',
  allowExternalActors: false,
  sealedSecret: sealedUnder('m1'),
};
const created: SigningKeyEvent = { type: 'SigningKeyCreated', data: fields };
const deleted: SigningKeyEvent = { type: 'SigningKeyDeleted', data: { signingKeyId: 'k1' } };
const reencrypted = (masterKeyId: string): SigningKeyEvent => ({
  type: 'SigningKeyResealed',
  data: { signingKeyId: 'k1', sealedSecret: sealedUnder(masterKeyId) },
});
const update = (changes: object, projectId = 'p1'): SigningKeyCommand => ({
  type: 'UpdateSigningKey',
  signingKeyId: 'k1',
  projectId,
  changes,
});
const reencrypt = (masterKeyId: string, iv?: string): SigningKeyCommand => ({
  type: 'ReencryptSigningKey',
  signingKeyId: 'k1',
  sealedSecret: sealedUnder(masterKeyId, iv),
});
const remove = (projectId = 'p1'): SigningKeyCommand => ({
  type: 'DeleteSigningKey',
  signingKeyId: 'k1',
  projectId,
});

describe('a signing key', () => {
  it('is created once', () => {
    given().when({ type: 'CreateSigningKey', signingKey: fields }).then(created);
    given(created).when({ type: 'CreateSigningKey', signingKey: fields }).thenNothing();
  });

  it('changes only what differs', () => {
    given(created)
      .when(update({ name: 'Backend', status: 'active' }))
      .thenNothing();
    given(created)
      .when(update({ name: 'Backend', status: 'disabled' }))
      .then({ type: 'SigningKeyUpdated', data: { signingKeyId: 'k1', changes: { status: 'disabled' } } });
  });

  it('is re-encrypted with another master key once', () => {
    given(created).when(reencrypt('m2')).then(reencrypted('m2'));
    given(created).when(reencrypt('m1', 'other')).thenNothing();
    given(created, reencrypted('m2')).when(reencrypt('m2', 'other')).thenNothing();
    given(created, reencrypted('m2')).when(reencrypt('m1')).then(reencrypted('m1'));
  });

  it('is skipped by a rotation when it was deleted', () => {
    given().when(reencrypt('m2')).thenNothing();
    given(created, deleted).when(reencrypt('m2')).thenNothing();
  });

  it('does not exist for another project or after its deletion', () => {
    given(created)
      .when(update({ name: 'x' }, 'p2'))
      .thenRejected('signing_key_not_found', { signingKeyId: 'k1' });
    given(created).when(remove('p2')).thenRejected('signing_key_not_found', { signingKeyId: 'k1' });
    given(created, deleted).when(remove()).thenRejected('signing_key_not_found', { signingKeyId: 'k1' });
    given(created, deleted)
      .when(update({ name: 'x' }))
      .thenRejected('signing_key_not_found', { signingKeyId: 'k1' });
    given(created).when(remove()).then(deleted);
  });
});
