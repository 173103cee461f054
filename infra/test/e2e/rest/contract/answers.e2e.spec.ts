import { expect } from 'chai';
import { apiRoutes } from '@roomwire/command-api/commandApi';
import { expectAnswer } from './answers.js';
import { bodies } from './bodies.js';
import { endpoints } from './endpoints.js';
import { call, callerOf, forEachEndpoint, idsOf, openWorld, type World } from './world.js';

/** What they take and answer are no records: see `httpPublish.e2e.spec.ts` and `impact.e2e.spec.ts`. */
const withoutRecords: readonly string[] = ['/publish', '/impact'];

describe('REST contract: answers', () => {
  let world: World;

  before(async () => void (world = await openWorld()));
  after(() => world.close());

  it('have one row for every endpoint that is served', () => {
    const served = apiRoutes({} as Parameters<typeof apiRoutes>[0]).filter(
      // Those that need no credential have a spec of their own.
      ({ path, access }) => !withoutRecords.includes(path) && access !== 'none',
    );
    const rows = (
      of: readonly { method: string; path: string; access: string; status: number; body?: unknown }[],
    ) =>
      of.map(({ method, path, access, status, body }) =>
        [
          method.toUpperCase(),
          path.split('?')[0],
          access,
          status,
          body === undefined ? 'no body' : 'a body',
        ].join(' '),
      );
    expect(rows(endpoints)).to.have.members(rows(served));
    expect(new Set(endpoints.map(({ body }) => body))).to.eql(new Set([...Object.keys(bodies), undefined]));
  });

  // In the order of the table, for what removes a thing comes after what shows it.
  describe('have the status and exactly the fields of their row', () => {
    forEachEndpoint(endpoints, async (endpoint) => {
      const { status, body, headers } = await call(
        callerOf(world, endpoint),
        endpoint,
        idsOf(world.own, endpoint),
      );
      expect(status, JSON.stringify(body)).to.equal(endpoint.status);
      expectAnswer(endpoint.answer, body);
      if (status === 204) expect(headers.get('content-type')).to.equal(null);
      else expect(headers.get('content-type')).to.match(/^application\/json/);
    });
  });
});
