import { expect } from 'chai';
import fc from 'fast-check';
import type { SigningKeyStatus } from '@roomwire/shared/domain/signingKey';
import { Rejection } from '../../src/handling/rejections.js';
import {
  signingKeyDecider,
  type SigningKeyCommand,
  type SigningKeyState,
} from '../../src/signing-keys/decider.js';
import { testTime } from '../support/deciders.js';

/** What one would say of a signing key in a sentence. */
interface Model {
  readonly name: string;
  readonly status: SigningKeyStatus;
  readonly allowExternalActors: boolean;
  readonly masterKeyId: string;
}

const signingKeyId = 'k1';
const owner = 'p1';

const masterKeyIds = fc.constantFrom('m1', 'm2', 'm3');
const projectIds = fc.constantFrom(owner, owner, owner, 'p2');
const names = fc.constantFrom('a', 'b', 'c');
const sealedSecrets = masterKeyIds.map((masterKeyId) => ({
  masterKeyId,
  iv: 'i',
  ciphertext: 'c',
  tag: 't',
}));

const commands: fc.Arbitrary<SigningKeyCommand> = fc.oneof(
  fc
    .record({ name: names, allowExternalActors: fc.boolean(), sealedSecret: sealedSecrets })
    .map((fields) => ({
      type: 'CreateSigningKey' as const,
      signingKey: { signingKeyId, projectId: owner, keyId: 'sk_live_1', ...fields },
    })),
  fc.record({
    type: fc.constant('UpdateSigningKey' as const),
    signingKeyId: fc.constant(signingKeyId),
    projectId: projectIds,
    changes: fc.record(
      {
        name: names,
        status: fc.constantFrom('active' as const, 'disabled' as const),
        allowExternalActors: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  }),
  fc.record({
    type: fc.constant('ReencryptSigningKey' as const),
    signingKeyId: fc.constant(signingKeyId),
    sealedSecret: sealedSecrets,
  }),
  fc.record({
    type: fc.constant('DeleteSigningKey' as const),
    signingKeyId: fc.constant(signingKeyId),
    projectId: projectIds,
  }),
);

/** What should be true after a command: `rejected`, or the key as it then is. */
const expected = (model: Model | undefined, command: SigningKeyCommand): Model | undefined | 'rejected' => {
  if (command.type === 'CreateSigningKey')
    return (
      model ?? {
        name: command.signingKey.name,
        status: 'active',
        allowExternalActors: command.signingKey.allowExternalActors,
        masterKeyId: command.signingKey.sealedSecret.masterKeyId,
      }
    );
  if (command.type === 'ReencryptSigningKey')
    return model && { ...model, masterKeyId: command.sealedSecret.masterKeyId };
  if (model === undefined || command.projectId !== owner) return 'rejected';
  return command.type === 'DeleteSigningKey' ? undefined : { ...model, ...command.changes };
};

const modelOf = (state: SigningKeyState): Model | undefined =>
  state && {
    name: state.name,
    status: state.status,
    allowExternalActors: state.allowExternalActors,
    masterKeyId: state.sealedSecret.masterKeyId,
  };

const decideOn = (command: SigningKeyCommand, state: SigningKeyState) => {
  try {
    return signingKeyDecider.decide(command, state);
  } catch (error) {
    if (error instanceof Rejection) return 'rejected';
    throw error;
  }
};

describe('a signing key, against a model of it', () => {
  it('follows its commands, with an event only where something changes', () => {
    fc.assert(
      fc.property(fc.array(commands, { maxLength: 30 }), (history) => {
        let model: Model | undefined;
        let state: SigningKeyState;
        for (const command of history) {
          const outcome = expected(model, command);
          const decided = decideOn(command, state);
          expect(decided === 'rejected').to.equal(outcome === 'rejected');
          if (decided === 'rejected' || outcome === 'rejected') continue;
          for (const event of decided)
            state = signingKeyDecider.evolve(state, { ...event, occurredAt: testTime });
          const isSame = JSON.stringify(outcome) === JSON.stringify(model);
          expect(decided).to.have.length(isSame ? 0 : 1);
          expect(modelOf(state)).to.eql(outcome);
          model = outcome;
        }
      }),
      { seed: 11, numRuns: 500 },
    );
  });
});
