import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { mintSessionToken } from '@roomwire/shared/credentials/sessionToken';
import { secretsIn, type Secret } from './secretLedger.js';
import type { Said, TourRecord } from './tourRecord.js';

export type Place = Said;

/** Answers may show what is stored in the clear; outputs may not, nor the hashes of secrets. */
export type Kind = 'answers' | 'outputs' | 'stores';

export const expectNoSecret = ({ ledger }: TourRecord, places: readonly Place[], kind: Kind): void => {
  expect(places).to.not.be.empty;
  const secrets = ledger.secrets.filter(({ home }) => kind === 'outputs' || home === 'nowhere');
  const hashes = kind === 'stores' ? [] : secrets.map(hashed);
  const found = places.flatMap(({ what, bytes, shows }) =>
    secretsIn(bytes, [...secrets.filter(({ name }) => name !== shows), ...hashes]).map(
      (name) => `${name}, in ${what}`,
    ),
  );
  expect(found).to.eql([]);
};

const hashed = ({ name, text }: Secret): Secret => ({
  name: `the hash of ${name}`,
  text: createHash('sha256').update(text).digest('hex'),
  home: 'stores',
});

/** Sessions that no service takes: one of a stranger's secret, and what is none. */
export const refusedSessions = async ({ ledger }: TourRecord): Promise<readonly string[]> => {
  const session = { subject: 'operator', organizationIds: [], isOperator: true };
  const foreign = await mintSessionToken(randomBytes(32), session, 3600, systemClock);
  ledger.addToken('the session of a stranger', foreign);
  return [foreign];
};
