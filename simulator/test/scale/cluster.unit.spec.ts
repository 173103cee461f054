import { expect } from 'chai';
import { seededChance } from '@roomwire/testing/run/seededChance';
import { measureAccount } from '../../src/scale/measure/account.js';
import { measureChatter } from '../../src/scale/measure/chatter.js';
import { measureRevalidation } from '../../src/scale/measure/revalidation.js';
import { measureUsage } from '../../src/scale/measure/usage.js';
import { Estate } from '../../src/scale/model/estate.js';
import { behaviour, perGateway } from '../../src/scale/model/load.js';
import { placed } from '../../src/scale/model/placement.js';
import { timeoutMs } from '../support/run.js';

const gateways = 3;
const estate = new Estate(gateways);
const placement = placed('anywhere', estate, gateways, seededChance(7));

describe('a simulated cluster', () => {
  it('beats once in three seconds, and tells all of each arrival and departure', async () => {
    const { beats, presence } = await measureChatter(estate, placement, gateways, 7);
    expect(beats.records).to.be.closeTo(gateways / 3, 0.11);
    const { presentShare, connectionSeconds } = behaviour;
    expect(presence.records).to.be.closeTo((2 * estate.connections * presentShare) / connectionSeconds, 1e-6);
  });

  it('asks every gateway for the first connection of an organization on one, and nobody where a place is free', async () => {
    // All on the first one.
    const { leases } = await measureChatter(estate, new Uint16Array(estate.connections), gateways, 7);
    // The claim, an answer of each of the others, and the decision.
    expect(leases.first.records).to.equal(1 + (gateways - 1) + 1);
    expect(leases.replaced.records).to.equal(0);
  });

  it('gives whoever starts an account of all presences', async () => {
    const { sent, presences, bytesPerPresence } = await measureAccount(estate, placement, 1);
    expect(presences).to.be.closeTo(perGateway.connections * behaviour.presentShare, 300);
    expect(sent.records).to.be.within(1, presences + 1);
    expect(bytesPerPresence).to.be.above(behaviour.presenceBytes);
  });

  it('stores the counts of a project as often as it has to, and reads those of all gateways', async () => {
    const gatewaysOf = new Uint16Array(estate.projects).fill(gateways);
    const cost = await measureUsage(0, gateways, new Map([[0, 1_000]]), gatewaysOf);
    expect(cost.written).to.be.closeTo(1 / 3, 0.02);
    expect(cost.read).to.be.closeTo(gateways / 30, 0.02);
  });

  it('reads for changes of those who are here, and for all once after an event was lost', async () => {
    const cost = await measureRevalidation(estate, placement, 1);
    expect(cost.events.records).to.equal(estate.projects / behaviour.changeSeconds);
    // The actor, its project and its organization, of every second change and each third gateway.
    const { length: here } = placement.filter((gateway) => gateway === 1);
    expect(cost.reads).to.be.closeTo(cost.events.records / 2, cost.events.records / 8);
    expect(cost.readsAfterLoss).to.equal(3 * here);
  });
}).timeout(timeoutMs);
