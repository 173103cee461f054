import { expect } from 'chai';
import { actorRowTests } from './actorRows.js';
import { appRowTests } from './appRows.js';
import { endpoints, nameOf } from './endpoints.js';
import { specifiedEndpoints } from './specification.js';
import { openWorld, type World } from './world.js';

describe('REST specification: endpoints', () => {
  let world: World;
  const tests = { ...appRowTests, ...actorRowTests };

  before(async () => void (world = await openWorld()));
  after(() => world.close());

  it('have a test for every row of their tables', () => {
    expect(specifiedEndpoints).to.have.length(36);
    expect(Object.keys(tests)).to.have.members([...specifiedEndpoints]);
    expect(endpoints.map(nameOf)).to.include.members([...specifiedEndpoints]);
  });

  for (const [row, test] of Object.entries(tests)) it(row, () => test(world));
});
