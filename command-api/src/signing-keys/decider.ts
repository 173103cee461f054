import {
  evolveSigningKey,
  signingKeyStream,
  type SealedSecret,
  type SigningKey,
  type SigningKeyChanges,
  type SigningKeyEvent,
  type SigningKeyFields,
} from '@roomwire/shared/domain/signingKey';
import { changedFields, type Decider, targetOf } from '../handling/writeModel.js';
import { Rejection } from '../handling/rejections.js';

interface ExistingSigningKey {
  readonly signingKeyId: string;
  readonly projectId: string;
}

export type SigningKeyCommand =
  | { readonly type: 'CreateSigningKey'; readonly signingKey: SigningKeyFields }
  | ({ readonly type: 'UpdateSigningKey'; readonly changes: SigningKeyChanges } & ExistingSigningKey)
  /** The same secret under another master key. Ignored for a key that was deleted, or is under it already. */
  | {
      readonly type: 'ReencryptSigningKey';
      readonly signingKeyId: string;
      readonly sealedSecret: SealedSecret;
    }
  | ({ readonly type: 'DeleteSigningKey' } & ExistingSigningKey);

export type SigningKeyState = SigningKey | undefined;

export const signingKeyDecider: Decider<SigningKeyState, SigningKeyCommand, SigningKeyEvent> = {
  initial: () => undefined,
  evolve: evolveSigningKey,
  decide(command, key) {
    switch (command.type) {
      case 'CreateSigningKey':
        return key ? [] : [{ type: 'SigningKeyCreated', data: command.signingKey }];
      case 'UpdateSigningKey': {
        const { signingKeyId } = command;
        const changes = changedFields(existing(key, command), command.changes);
        return changes ? [{ type: 'SigningKeyUpdated', data: { signingKeyId, changes } }] : [];
      }
      case 'ReencryptSigningKey': {
        const { signingKeyId, sealedSecret } = command;
        const isDue = key !== undefined && key.sealedSecret.masterKeyId !== sealedSecret.masterKeyId;
        return isDue ? [{ type: 'SigningKeyResealed', data: { signingKeyId, sealedSecret } }] : [];
      }
      case 'DeleteSigningKey':
        existing(key, command);
        return [{ type: 'SigningKeyDeleted', data: { signingKeyId: command.signingKeyId } }];
    }
  },
};

export const signingKeyTarget = targetOf(signingKeyStream, signingKeyDecider);

/** A signing key of another project does not exist. */
export const existing = (
  key: SigningKeyState,
  { signingKeyId, projectId }: ExistingSigningKey,
): SigningKey => {
  if (key?.projectId !== projectId) throw new Rejection('signing_key_not_found', { signingKeyId });
  return key;
};
