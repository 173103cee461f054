import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { decodeJwt } from 'jose';
import { readCapabilities } from '@roomwire/shared/credentials/capabilityClaim';
import { parseClientToken, verifyClientToken } from '@roomwire/shared/credentials/clientToken';
import { mintToken } from '@roomwire/shared/credentials/secretToken';
import { actorTypes as domainTypes } from '@roomwire/shared/domain/actor';
import { Capabilities } from '@roomwire/shared/domain/capabilities';
import { actorTypes, createToken, InvalidToken } from '../src/createToken.js';

const random = { bytes: (count: number) => randomBytes(count), uuid: () => '' };
const key = mintToken(random, 'sk_live');
const { keyId: actor } = mintToken(random, 'at_live');
const signingKey = key.token;

describe('createToken', () => {
  it('signs a token that a gateway accepts', async () => {
    const token = await createToken({ signingKey, actor, expiresInSeconds: 60 });
    const parsed = parseClientToken(token);
    if (typeof parsed === 'string') throw new Error(parsed);
    expect(parsed).to.include({ kid: key.keyId, subject: actor });
    const secret = signingKey.slice(key.keyId.length + 1);
    expect(verifyClientToken(parsed, secret, Date.now())).to.equal('valid');
    expect(verifyClientToken(parsed, secret, Date.now() + 62_000)).to.equal('expired');
    const { iat = 0, exp = 0, ...others } = decodeJwt(token);
    expect([exp - iat, others]).to.eql([60, { sub: actor }]);
  });

  it('says what the client may use of its rights', async () => {
    const capabilities = { 'desk-*/lobby/chat': ['subscribe', 'history'], '*/*/*': [] } as const;
    expect(decodeJwt(await createToken({ signingKey, actor, capabilities }))['roomwire']).to.eql({
      capabilities,
    });
    const none = await createToken({ signingKey, actor, capabilities: {} });
    expect(decodeJwt(none)['roomwire']).to.eql({ capabilities: {} });
    expect(readCapabilities({ capabilities })).to.be.instanceOf(Capabilities);
  });

  it('names external actors by your own ids', async () => {
    const accessScopeId = '0c1d6a4e-8a8e-4d0e-9f0c-000000000001';
    const token = await createToken({ signingKey, externalId: 'ann', actorType: 'device', accessScopeId });
    expect(decodeJwt(token)).to.deep.include({
      ...{ sub: 'ext:ann', roomwire: { actorType: 'device', accessScopeId } },
    });
  });

  it('lets an external actor have the whole day that servers allow', async () => {
    const { iat = 0, exp = 0 } = decodeJwt(
      await createToken({ signingKey, externalId: 'ann', expiresInSeconds: 86_400 }),
    );
    expect(exp - iat).to.equal(86_400);
  });

  it('counts characters of such an id as the service does', async () => {
    const externalId = '😀'.repeat(200);
    expect(decodeJwt(await createToken({ signingKey, externalId })).sub).to.equal(`ext:${externalId}`);
  });

  it('knows the types of actors that the service knows', () => expect(actorTypes).to.eql(domainTypes));

  const refused: readonly (readonly [what: string, options: object])[] = [
    ['only the id of a key', { signingKey: key.keyId, actor }],
    ['no key', { signingKey: undefined, actor }],
    ['nobody', {}],
    ['an actor that is not given', { actor: undefined }],
    ['the id of an actor', { actor: '0c1d6a4e-8a8e-4d0e-9f0c-000000000001' }],
    ['an access token', { actor: `${actor}.secret` }],
    ['no life', { actor, expiresInSeconds: 0 }],
    ['a life without an end', { actor, expiresInSeconds: Number.POSITIVE_INFINITY }],
    ['an external actor for more than a day', { externalId: 'x', expiresInSeconds: 86_401 }],
    ['an external actor without a name', { externalId: '' }],
    ['an external actor with half of a character', { externalId: 'a\ud83d' }],
    ['an external actor with a name that is too long', { externalId: '😀'.repeat(201) }],
    ['an unknown type', { externalId: 'x', actorType: 'robot' }],
    ['a pattern of two segments', { actor, capabilities: { 'a/b': [] } }],
    ['a pattern with a * inside', { actor, capabilities: { 'a*b/c/d': [] } }],
    ['an unknown right', { actor, capabilities: { 'a/b/c': ['read'] } }],
    [
      'too many patterns',
      { actor, capabilities: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`a${at}/b/c`, []])) },
    ],
  ];
  for (const [what, options] of refused)
    it(`refuses ${what}, and shows no secret`, async () => {
      const error: unknown = await createToken({ signingKey, ...options } as never).catch((e: unknown) => e);
      expect(error).to.be.instanceOf(InvalidToken);
      expect((error as Error).message).to.not.include(signingKey.split('.')[1]);
    });
});
