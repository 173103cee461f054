import {
  evolveSigningKey,
  type SigningKey,
  type SigningKeyEvent,
} from '@roomwire/shared/domain/signing-keys/signingKey';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import { createLivingSecrets, type LivingSecrets } from '../resealing/livingSecrets.js';

export const createLivingSigningKeys = (log: EventLog): LivingSecrets<SigningKey> =>
  createLivingSecrets<SigningKey, SigningKeyEvent>(log, {
    types: ['SigningKeyCreated', 'SigningKeyUpdated', 'SigningKeyResealed', 'SigningKeyDeleted'],
    idIn: ({ data }) => data.signingKeyId,
    evolve: evolveSigningKey,
  });
