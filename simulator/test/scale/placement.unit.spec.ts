import { expect } from 'chai';
import { seededChance } from '@roomwire/testing/run/seededChance';
import { Estate } from '../../src/scale/model/estate.js';
import { balanceFactor, perGateway } from '../../src/scale/model/load.js';
import { placed, scoreOf, type PlacementName } from '../../src/scale/model/placement.js';
import { observedOf, projectsOn, spreadOf } from '../../src/scale/model/spread.js';

const gateways = 5;
const estate = new Estate(gateways);
const all = [...Array(gateways).keys()];

const spreadWith = (name: PlacementName) => {
  const placement = placed(name, estate, gateways, seededChance(7));
  return { placement, spread: spreadOf(estate, placement, gateways) };
};

describe('the placement of clients', () => {
  it('that keeps projects together gives no gateway more than it may have, and splits only what is too large', () => {
    const { spread } = spreadWith('together');
    const capacity = balanceFactor * perGateway.connections;
    expect(spread.loads.reduce((sum, load) => sum + load, 0)).to.equal(estate.connections);
    expect(Math.max(...spread.loads)).to.be.at.most(capacity);
    const split = [...spread.gatewaysOf].filter((count) => count > 1);
    // One that meets a gateway with less room than it needs is split as well: at most one for each gateway that is full.
    expect(split.length).to.be.within(0, gateways);
    expect(spread.aloneShare).to.be.below(0.001);
  });

  it('anywhere fills all gateways alike, and spreads each large project over all of them', () => {
    const { spread } = spreadWith('anywhere');
    for (const load of spread.loads) expect(load).to.be.closeTo(perGateway.connections, 700);
    expect([...spread.gatewaysOf.subarray(0, 100)]).to.deep.equal(Array<number>(100).fill(gateways));
    expect(spread.gatewaysOfRoom).to.be.above(4);
  });

  it('is the same with the same seed, and another one with another', () => {
    const [first, again, other] = [7, 7, 8].map((seed) =>
      placed('anywhere', estate, gateways, seededChance(seed)),
    );
    expect(again).to.deep.equal(first);
    expect(other).not.to.deep.equal(first);
  });

  it('moves no project but those of the gateway that comes', () => {
    const best = (project: number, count: number): number =>
      all.slice(0, count).reduce((a, b) => (scoreOf(project, b) > scoreOf(project, a) ? b : a));
    let moved = 0;
    for (let project = 0; project < 1_000; project += 1) {
      const [before, after] = [best(project, 4), best(project, 5)];
      if (before === after) continue;
      expect(after).to.equal(4);
      moved += 1;
    }
    expect(moved).to.be.within(150, 250);
  });

  it('is counted by project and gateway as it is', () => {
    const { placement, spread } = spreadWith('together');
    const held = projectsOn(estate, placement, all);
    for (const gateway of all) {
      const counts = [...(held.get(gateway)?.values() ?? [])];
      expect(counts.reduce((sum, count) => sum + count, 0)).to.equal(spread.loads[gateway]);
    }
    const project = 3;
    const holders = all.filter((gateway) => held.get(gateway)?.has(project));
    expect(spread.gatewaysOf[project]).to.equal(holders.length);
  });

  it('is observed on gateways of all loads', () => {
    const { spread } = spreadWith('together');
    const byLoad = [...all].sort((a, b) => (spread.loads[a] ?? 0) - (spread.loads[b] ?? 0));
    expect(observedOf(spread, 1)).to.deep.equal([byLoad[2]]);
    expect(observedOf(spread, 9)).to.deep.equal(byLoad);
  });
});
