import { resealSecrets, type ResealDeps, type ResealReport } from '../resealing/resealSecrets.js';
import { signingKeyTarget } from './decider.js';
import { createLivingSigningKeys } from './livingSigningKeys.js';

/** Brings every signing key of the log under the current master key, see `resealSecrets`. */
export const resealSigningKeys = (deps: ResealDeps): Promise<ResealReport> =>
  resealSecrets(deps, {
    name: 'signing key',
    living: createLivingSigningKeys(deps.log),
    idOf: ({ signingKeyId }) => signingKeyId,
    target: ({ signingKeyId }) => signingKeyTarget(signingKeyId),
    command: (signingKeyId, sealedSecret) => ({
      type: 'ResealSigningKey' as const,
      signingKeyId,
      sealedSecret,
    }),
    sealIn: (key) => key?.sealedSecret,
  });
