import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import type { ApiClient } from '../support/apiClient.js';
import { enginesOfTheRun, startCluster, type Cluster, type Member } from '../support/cluster.js';
import { tracedCauses } from '../support/tracedCauses.js';
import { TracedRoom, type TracedService } from '../support/tracedRoom.js';

describe('why a message did not arrive, on two gateways', function () {
  this.timeout(120_000);
  let engines: Awaited<ReturnType<typeof enginesOfTheRun>>;
  let cluster: Cluster;
  let api: Member;
  let gateways: readonly [string, string];

  before(async () => {
    engines = await enginesOfTheRun();
    cluster = await startCluster(engines, { settings: { ROOMWIRE_CONNECTION_RECORD: 'true' } });
    const [, commandApi, one, other] = await Promise.all([
      cluster.add('projections'),
      cluster.add('command-api'),
      cluster.add('gateway'),
      cluster.add('gateway'),
    ]);
    api = commandApi;
    gateways = [one.socketUrl, other.socketUrl];
  });
  after(async () => {
    await cluster.close();
    await engines.close();
  });

  const open = async (): Promise<TracedService> => {
    const { organizationId, projectId, clients } = await cluster.newProject({}, api);
    const [project] = clients as [ApiClient];
    return { operator: cluster.operator(api), project, organizationId, projectId, gateways };
  };

  tracedCauses(open);

  it('is unknown for the time in which a gateway was killed, and known before and after', async () => {
    const doomed = await cluster.add('gateway');
    const room = await TracedRoom.open({ ...(await open()), gateways: [gateways[0], doomed.socketUrl] });
    const bob = await room.person();
    const socket = await room.listen(bob);
    const before = await room.publish('before');
    expect(await socket.next()).to.include({ data: 'before' });
    const outcomeOf = async (position: string) => (await room.trace(bob, { position })).outcome;
    expect(await outcomeOf(before.position)).to.equal('delivered');
    await cluster.stop(doomed, 'SIGKILL');
    const during = await room.publish('during');
    expect(await outcomeOf(during.position)).to.equal('unknown');
    let after = during;
    await eventually(
      async () => {
        after = await room.publish('after');
        return (await outcomeOf(after.position)) === 'not_connected';
      },
      { withinMs: 90_000, what: 'the end of the connections of a gateway that was killed' },
    );
    expect(await room.trace(bob, { position: during.position })).to.include({
      ...{ outcome: 'unknown', reason: 'gap' },
    });
    expect(await outcomeOf(before.position)).to.equal('delivered');
    room.close();
  });
});
