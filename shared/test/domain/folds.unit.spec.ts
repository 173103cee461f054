import { expect } from 'chai';
import { evolveActor } from '../../src/domain/actor.js';
import { evolveApiKey } from '../../src/domain/apiKey.js';
import { evolveApp } from '../../src/domain/app.js';
import { evolveBlueprint } from '../../src/domain/blueprint.js';
import { evolveDeadLetter } from '../../src/domain/deadLetter.js';
import { evolveOrganization } from '../../src/domain/organization.js';
import { evolveProject } from '../../src/domain/project.js';
import { evolveGrant, evolveRoom } from '../../src/domain/room.js';
import { evolveScope } from '../../src/domain/scope.js';
import { evolveSessionRevocation } from '../../src/domain/sessionRevocation.js';
import { evolveSigningKey } from '../../src/domain/signingKey.js';
import { evolveWebhookSecret } from '../../src/domain/webhookSecret.js';

type Fold = (record: unknown, event: never) => unknown;

interface Folded {
  readonly fold: Fold;
  readonly created: string;
  /** What a new one has besides the data of its first event, and besides its times. */
  readonly besides?: object;
  /** What a later event changes, besides the time of the change. */
  readonly changes?: readonly { readonly by: string; readonly data: object; readonly to: object }[];
  /** Those after which it is as it was. */
  readonly unchanging?: readonly string[];
  readonly ends?: readonly string[];
}

const [then, later] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'];

const changed = (by: string, changes: object) => ({ by, data: { changes }, to: changes });

const folds: Readonly<Record<string, Folded>> = {
  'an organization': {
    ...{ fold: evolveOrganization as Fold, created: 'OrganizationCreated', besides: { status: 'active' } },
    changes: [changed('OrganizationUpdated', { status: 'suspended' })],
  },
  'a project': {
    ...{ fold: evolveProject as Fold, created: 'ProjectCreated', ends: ['ProjectDeleted'] },
    changes: [changed('ProjectUpdated', { name: 'B' })],
  },
  'an API key': { fold: evolveApiKey as Fold, created: 'ApiKeyCreated', ends: ['ApiKeyRevoked'] },
  'a blueprint': {
    ...{ fold: evolveBlueprint as Fold, created: 'BlueprintRegistered', besides: { versions: [] } },
    changes: [
      {
        by: 'BlueprintVersionAdded',
        data: { version: '1.0.0', versions: ['0.1.0', '1.0.0'] },
        to: { versions: ['0.1.0', '1.0.0'] },
      },
    ],
  },
  'an app': {
    ...{ fold: evolveApp as Fold, created: 'AppCreated', besides: { status: 'active' } },
    changes: [changed('AppUpdated', { status: 'disabled', slug: 'b' })],
    ends: ['AppDeleted'],
  },
  'a room': {
    ...{ fold: evolveRoom as Fold, created: 'RoomCreated', besides: { status: 'active' } },
    changes: [changed('RoomUpdated', { topics: ['chat'] })],
    ends: ['RoomDeleted'],
  },
  'a grant': { fold: evolveGrant as Fold, created: 'RoomGrantAdded', ends: ['RoomGrantRevoked'] },
  'a scope': {
    ...{ fold: evolveScope as Fold, created: 'ScopeCreated', besides: { isActive: true } },
    changes: [changed('ScopeUpdated', { isActive: false })],
    unchanging: ['ScopeMembershipTaken', 'ScopeMembershipGivenBack'],
    ends: ['ScopeDeleted'],
  },
  'an actor': {
    ...{ fold: evolveActor as Fold, created: 'ActorCreated', besides: { status: 'active' } },
    changes: [changed('ActorUpdated', { status: 'disabled' })],
    ends: ['ActorDeleted'],
  },
  'a signing key': {
    ...{ fold: evolveSigningKey as Fold, created: 'SigningKeyCreated', besides: { status: 'active' } },
    changes: [changed('SigningKeyUpdated', { status: 'disabled' })],
    ends: ['SigningKeyDeleted'],
  },
  'a webhook secret': {
    ...{ fold: evolveWebhookSecret as Fold, created: 'WebhookSecretCreated', ends: ['WebhookSecretDeleted'] },
  },
  'a dead letter': {
    ...{ fold: evolveDeadLetter as Fold, created: 'DeadLetterRecorded' },
    besides: { redriveCount: 0, lastRedriveAt: null, lastRedriveBy: null },
    changes: [
      {
        by: 'DeadLetterRedriven',
        data: { redriveId: 'r', redriveCount: 1, redrivenBy: 'session:ada' },
        to: { redriveCount: 1, lastRedriveAt: later, lastRedriveBy: 'session:ada' },
      },
      {
        by: 'DeadLetterRedriveFailed',
        data: { redriveId: 'r', responseStatus: 404, error: 'gone', retryCount: 3, status: 'failed' },
        to: { responseStatus: 404, error: 'gone', retryCount: 3, status: 'failed' },
      },
      { by: 'DeadLetterMarkedDead', data: {}, to: { status: 'dead' } },
    ],
    ends: ['DeadLetterDelivered', 'DeadLetterDeleted'],
  },
};

describe('the record of', () => {
  for (const [what, { fold, created, besides, changes = [], unchanging = [], ends = [] }] of Object.entries(
    folds,
  ))
    describe(what, () => {
      const data = { id: 'x', name: 'A' };
      const happen = (record: unknown, type: string, more: object = {}, occurredAt = later) =>
        fold(record, { type, data: more, occurredAt } as never);
      const first = happen(undefined, created, data, then) as object;

      it('begins with what its first event says', () => {
        expect(first).to.include({ ...data, createdAt: then, updatedAt: then });
        expect(first).to.eql({ ...data, ...besides, createdAt: then, updatedAt: then });
      });

      for (const { by, data: more, to } of changes)
        it(`is changed by ${by}, and by nothing that comes before its first event`, () => {
          expect(happen(first, by, more)).to.eql({ ...first, ...to, updatedAt: later });
          expect(happen(undefined, by, more)).to.equal(undefined);
        });

      for (const by of unchanging)
        it(`stays as it is after ${by}`, () => {
          expect(happen(first, by)).to.equal(first);
          expect(happen(undefined, by)).to.equal(undefined);
        });

      for (const by of ends)
        it(`ends with ${by}`, () => {
          expect(happen(first, by)).to.equal(undefined);
        });
    });

  for (const [what, fold, created, resealed] of [
    ['a signing key', evolveSigningKey as Fold, 'SigningKeyCreated', 'SigningKeyResealed'],
    ['a webhook secret', evolveWebhookSecret as Fold, 'WebhookSecretCreated', 'WebhookSecretResealed'],
  ] as const)
    it(`${what} does not show that it was sealed again`, () => {
      const sealedSecret = { masterKeyId: 'm2' };
      const event = { type: resealed, data: { sealedSecret }, occurredAt: later } as never;
      const first = fold(undefined, {
        type: created,
        data: { id: 'x' },
        occurredAt: then,
      } as never) as object;
      expect(fold(first, event)).to.eql({ ...first, sealedSecret });
      expect(fold(undefined, event)).to.equal(undefined);
    });

  it('a revocation of sessions says what is looked up for it', () => {
    const fields = { revocationId: 'r', organizationId: 'o', subject: null, byOperator: false };
    const data = { ...fields, jti: 'j1' };
    const record = evolveSessionRevocation(undefined, { type: 'SessionRevoked', data, occurredAt: then });
    expect(record).to.eql({ ...data, createdAt: then, revokes: 'jti:j1' });
  });
});
