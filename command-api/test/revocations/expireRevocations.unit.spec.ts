import { expect } from 'chai';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { createdTokenRevocation, type TokenRevocation } from '@roomwire/shared/domain/tokenRevocation';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { ViewQuery } from '@roomwire/shared/ports/viewStore';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { executeAsSystem } from '../../src/handling/streamWriter.js';
import { tokenRevocationTarget } from '../../src/revocations/decider.js';
import { expireRevocations, type ExpireRevocationsDeps } from '../../src/revocations/expireRevocations.js';
import { openTemporaryLog } from '../support/temporaryLog.js';

/** A day, and the 30 for which an external actor may have scheduled publishes before. */
const onRecordMs = 31 * 24 * 3_600_000;

describe('[HTTP-REVOKE-4] revocations that have expired', () => {
  let log: EventLog;
  let close: () => Promise<void>;
  let clock: ManualClock;
  /** As the read models show them. */
  let shown: TokenRevocation[];
  let queries: ViewQuery[];

  beforeEach(async () => {
    ({ log, close } = await openTemporaryLog());
    [clock, shown, queries] = [new ManualClock(), [], []];
  });
  afterEach(() => close());

  const owner = (projectId: string) => ({ organizationId: 'o', projectId });
  const views = {
    get: async (_: string, projectId: string) => (projectId === 'gone' ? undefined : owner(projectId)),
    find: async (_: string, query: ViewQuery) => {
      queries.push(query);
      const { $gt, $lte } = query.filter?.['keptUntil'] as { readonly $gt: string; readonly $lte: string };
      return shown
        .filter(({ keptUntil }) => keptUntil !== null && keptUntil > $gt && keptUntil <= $lte)
        .sort((one, other) => ((one.keptUntil ?? '') < (other.keptUntil ?? '') ? -1 : 1))
        .slice(0, query.limit);
    },
  } as unknown as ExpireRevocationsDeps['views'];
  const deps = () => ({ log, views, clock, random: systemRandom });

  const revoke = async (subject: string, projectId = 'p'): Promise<string> => {
    const revocationId = systemRandom.uuid();
    const now = new Date(clock.now()).toISOString();
    const revocation = { revocationId, projectId, subject, actorTokenId: 'a', before: now };
    const target = tokenRevocationTarget(revocationId);
    await executeAsSystem(deps(), target, { type: 'RevokeTokens', revocation }, owner(projectId));
    shown.push(createdTokenRevocation(revocation, now));
    return revocationId;
  };
  const expired = async (): Promise<readonly string[]> => {
    const found: string[] = [];
    for await (const batch of log.readAll())
      for (const { type, data } of batch)
        if (type === 'TokenRevocationExpired') found.push((data as { revocationId: string }).revocationId);
    return found.sort();
  };

  it('are ended once, whoever else does it, and no others', async () => {
    const due = [await revoke('ext:ada'), await revoke('ext:eve')];
    await revoke('ext:gone', 'gone');
    await revoke('b1e0c1a2-0000-4000-8000-000000000000');
    clock.pass(onRecordMs - 1);
    await expireRevocations(deps());
    expect(await expired()).to.eql([]);
    await revoke('ext:late');
    clock.pass(1);
    await Promise.all([expireRevocations(deps()), expireRevocations(deps())]);
    expect(await expired()).to.eql([...due].sort());
    // The read models have not followed yet.
    await expireRevocations(deps());
    expect(await expired()).to.eql([...due].sort());
  });

  it('are ended in parts, where there are many', async () => {
    for (let count = 0; count < 501; count++) {
      await revoke(`ext:${count}`);
      clock.pass(1);
    }
    clock.pass(onRecordMs);
    await expireRevocations(deps());
    expect(await expired()).to.have.length(501);
    expect(queries).to.have.length(2);
  });
});
