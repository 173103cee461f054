import { expect } from 'chai';
import {
  createdTokenRevocation,
  evolveTokenRevocation,
  isExternalSubject,
  isRevokedBy,
  namesExternalActor,
  type TokenRevocationFields,
} from '../../src/domain/tokenRevocation.js';

const made = '2026-01-01T12:00:00.500Z';
const of = (subject: string, before = made): TokenRevocationFields => ({
  ...{ revocationId: 'r', projectId: 'p', subject, actorTokenId: 'a', before },
});

describe('[WS-EXT-1] the subject of an external actor', () => {
  it('is ext: and a name of 1 to 200 characters', () => {
    for (const name of ['a', 'a'.repeat(200), '😀'.repeat(200), 'ext:', '\0', ' '])
      expect(isExternalSubject(`ext:${name}`), name).to.equal(true);
    for (const name of ['', 'a'.repeat(201), '😀'.repeat(201), '\ud800', 'a\udc00b'])
      expect(isExternalSubject(`ext:${name}`), name).to.equal(false);
    for (const subject of ['', 'ext', 'EXT:a', ' ext:a', 'at_live_1'])
      expect([isExternalSubject(subject), namesExternalActor(subject)]).to.eql([false, false]);
  });
});

describe('a revocation of client tokens', () => {
  it('[HTTP-REVOKE-2] is about those of earlier seconds, and those that do not say when they were issued', () => {
    const second = Date.parse('2026-01-01T12:00:00Z') / 1_000;
    for (const issuedAt of [undefined, 0, second - 1, second - 0.001])
      expect(isRevokedBy({ before: made }, issuedAt), `${issuedAt}`).to.equal(true);
    for (const issuedAt of [second, second + 0.4, second + 0.9, second + 60])
      expect(isRevokedBy({ before: made }, issuedAt), `${issuedAt}`).to.equal(false);
  });

  it('[HTTP-REVOKE-4] is kept for a day from the later of its time and its making, or as long as its actor', () => {
    expect(createdTokenRevocation(of('ext:ada', '2025-12-01T00:00:00.000Z'), made)).to.deep.include({
      ...{ createdAt: made, before: '2025-12-01T00:00:00.000Z', keptUntil: '2026-01-02T12:00:00.500Z' },
    });
    // Of a clock that is ahead.
    expect(createdTokenRevocation(of('ext:ada', '2026-01-01T12:00:07.000Z'), made).keptUntil).to.equal(
      '2026-01-02T12:00:07.000Z',
    );
    expect(createdTokenRevocation(of('a'), made).keptUntil).to.equal(null);
  });

  it('[HTTP-REVOKE-4] is there until it has expired', () => {
    const revoked = { type: 'TokensRevoked', data: of('ext:ada'), occurredAt: made } as const;
    const record = evolveTokenRevocation(undefined, revoked);
    expect(record).to.eql(createdTokenRevocation(of('ext:ada'), made));
    const data = { revocationId: 'r' };
    expect(
      evolveTokenRevocation(record, { type: 'TokenRevocationExpired', data, occurredAt: made }),
    ).to.equal(undefined);
  });
});
