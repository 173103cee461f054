import { expect } from 'chai';
import type { Refusal } from '@roomwire/shared/ports/accessLog';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { project } from '@roomwire/testing/builders/records';
import { eventually } from '@roomwire/testing/run/eventually';
import { RefusalReports } from '../../src/access/refusalReports.js';

describe('reports of refused credentials', () => {
  let told: Refusal[];
  let reached: string[];
  /** Resolve or reject a read of a project. */
  let reads: { answer: (found: unknown) => void; fail: (error: Error) => void }[];
  let reports: RefusalReports;

  beforeEach(() => {
    [told, reached, reads] = [[], [], []];
    const get = () => new Promise((answer, fail) => void reads.push({ answer, fail }));
    reports = new RefusalReports({
      views: { get } as unknown as ViewReader,
      recorder: { refused: (refusal) => void told.push(refusal) },
      limits: { reached: (limit) => void reached.push(limit) },
      mostLookedUp: 3,
    });
  });

  const refuse = (projectId: string, reason = 'wrong_secret') =>
    reports.credential({ projectId, principal: 'actor:a' }, { reason, address: '10.0.0.1', frame: 'auth' });
  const whenRead = (count: number) => eventually(() => reads.length === count);

  it('look a project up once, and say no more of it than its organization', async () => {
    refuse('p1');
    refuse('p1', 'actor_disabled');
    await whenRead(1);
    reads[0]?.answer(project('p1', 'o1'));
    await eventually(() => told.length === 2);
    refuse('p1', 'actor_expired');
    const common = {
      ...{ organizationId: 'o1', projectId: 'p1', principal: 'actor:a', address: '10.0.0.1' },
      ...{ method: 'WS', route: 'auth', status: 401 },
    };
    const reasons = ['wrong_secret', 'actor_disabled', 'actor_expired'];
    expect(told).to.have.deep.members(reasons.map((reason) => ({ ...common, reason })));
    expect(reads).to.have.length(1);
  });

  it('hold a bounded number while nothing can be read, and go on when it can', async () => {
    for (let n = 0; n < 10; n += 1) refuse('p1');
    expect(reached).to.eql(Array.from({ length: 7 }, () => 'accessLogWaiting'));
    await whenRead(1);
    reads[0]?.fail(new Error('away'));
    await new Promise(setImmediate);
    expect(told).to.eql([]);
    refuse('p2');
    await whenRead(2);
    reads[1]?.answer(project('p2', 'o1'));
    await eventually(() => told.length === 1);
  });

  it('pass over a project that is gone', async () => {
    refuse('p1');
    await whenRead(1);
    reads[0]?.answer(undefined);
    refuse('p2');
    await whenRead(2);
    reads[1]?.answer(project('p2', 'o1'));
    await eventually(() => told.length === 1);
    expect(told[0]?.projectId).to.equal('p2');
  });
});
