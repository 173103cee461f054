import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { startEventStore, type EventStoreEngine } from '@roomwire/testing/engines/eventStore';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import type { Finding } from '../../src/engines/finding.js';
import { enginesOfTheRun, startCluster, type Cluster, type Member } from '../support/cluster.js';
import { runRoomwire } from '../support/program.js';

describe('read models on engines that are not of the event log', function () {
  this.timeout(240_000);
  let engines: Awaited<ReturnType<typeof enginesOfTheRun>>;
  let files: TemporaryFolder;
  let folders = 0;
  let dataDir: string;
  let eventStore: EventStoreEngine;
  let cluster: Cluster;

  before(async () => {
    engines = await enginesOfTheRun();
    files = await temporaryFolder();
  });
  beforeEach(async () => {
    dataDir = join(files.path, String((folders += 1)));
    eventStore = await startEventStore({ dataDir });
    cluster = await startCluster({ ...engines, eventStoreUrl: eventStore.url });
  });
  afterEach(async () => {
    await cluster.close();
    await eventStore.close();
  });
  after(async () => {
    await engines.close();
    await files.remove();
  });

  const roomwire = async (args: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
    const program = runRoomwire(args, {
      ...{ ...cluster.environment, ROOMWIRE_PORT: '0', ROOMWIRE_LOG_LEVEL: 'error' },
      ...environment,
    });
    const { code } = await program.ended;
    return { code, stdout: program.stdout(), stderr: program.stderr() };
  };
  const followers = async (environment?: Readonly<Record<string, string>>) => {
    const { stdout } = await roomwire(['doctor', '--json'], environment);
    const { findings } = JSON.parse(stdout) as { findings: Finding[] };
    return findings.filter(({ check }) => ['read models', 'audit index'].includes(check));
  };
  const organizations = async (of: Cluster, api: Member): Promise<string[]> => {
    const { data } = (await of.operator(api).get('/organizations')).body as { data: { name: string }[] };
    return data.map(({ name }) => name).sort();
  };
  const createOrganization = async (of: Cluster, api: Member, name: string): Promise<void> =>
    void expect((await of.operator(api).post('/organizations', { name })).status).to.equal(201);
  /** What the log and the read models hold then is in place when it ends. */
  const used = async (of: Cluster, name: string): Promise<void> => {
    const [api, projections] = [await of.add('command-api'), await of.add('projections')];
    await createOrganization(of, api, name);
    await of.stop(api);
    await of.stop(projections);
  };

  /** By the deletion every follower of the log has got to an event of it. */
  const deletedProject = async (): Promise<void> => {
    const [api, projections] = [await cluster.add('command-api'), await cluster.add('projections')];
    const { organizationId, projectId } = await cluster.newProject({}, api);
    const path = `/organizations/${organizationId}/projects/${projectId}`;
    expect((await cluster.operator(api).delete(path)).status).to.equal(204);
    const mongo = await new MongoClient(cluster.mongodbUrl).connect();
    const haveFollowed = async (): Promise<boolean> => {
      const found = await Promise.all(
        ['scheduleProgress', 'roomEventsProgress', 'connectionProgress'].map((name) =>
          mongo.db().collection(name).countDocuments({}),
        ),
      );
      return found.every((count) => count > 0);
    };
    try {
      await eventually(haveFollowed, { withinMs: 30_000, what: 'a checkpoint of each follower' });
    } finally {
      await mongo.close();
    }
    await cluster.stop(api);
    await cluster.stop(projections);
  };

  it('are refused where they are of another log, and made anew where that is asked for', async () => {
    await used(cluster, 'Mine');
    await deletedProject();
    const otherStore = await startEventStore();
    const other = await startCluster({ ...engines, eventStoreUrl: otherStore.url });
    try {
      for (const name of ['Other', 'Another']) await used(other, name);
      const elsewhere = { ROOMWIRE_EVENTSTORE_URL: otherStore.url };
      for (const service of ['projections', 'command-api']) {
        const { code, stderr } = await roomwire([service], elsewhere);
        expect(code, service).to.equal(1);
        expect(stderr, service).to.match(/The event log here, \S+, is not the one that the .* came from/);
        expect(stderr, service).to.include('run `roomwire projections rebuild --anew`');
      }
      for (const { status, message, action } of await followers(elsewhere)) {
        expect({ status, message }).to.eql({ status: 'error', message: 'made from another event log' });
        expect(action).to.include('run `roomwire projections rebuild --anew`');
      }
      expect((await roomwire(['projections', 'rebuild'], elsewhere)).stderr).to.include(
        'do not fit the event log',
      );

      // Nothing has happened to the rightful owner.
      expect((await followers()).map(({ status }) => status)).to.eql(['ok', 'ok']);
      expect((await roomwire(['projections', 'rebuild', '--anew'])).stderr).to.include('Everything fits');
      const owner = await cluster.add('command-api');
      expect(await organizations(cluster, owner)).to.eql(['Mine', 'O']);
      await cluster.stop(owner);

      const removed = await roomwire(['projections', 'rebuild', '--anew'], elsewhere);
      expect(removed).to.include({ code: 0, stderr: '' });
      await cluster.add('projections', elsewhere);
      const api = await cluster.add('command-api', elsewhere);
      expect(await organizations(cluster, api)).to.eql(['Another', 'Other']);
      expect((await followers(elsewhere)).map(({ status }) => status)).to.eql(['ok', 'ok']);
    } finally {
      await other.close();
      await otherStore.close();
    }
  });

  it('are made anew where the log was put back, and command-api waits for that', async () => {
    await used(cluster, 'Early');
    const log = join(dataDir, 'events.jsonl');
    await eventStore.kill('SIGKILL');
    await copyFile(log, join(files.path, 'early.jsonl'));
    await eventStore.restart();
    await used(cluster, 'Late');
    await eventStore.kill('SIGKILL');
    await copyFile(join(files.path, 'early.jsonl'), log);
    await eventStore.restart();
    for (const { status, message } of await followers())
      expect({ status, message }).to.eql({
        ...{ status: 'error', message: 'made from what the event log no longer holds' },
      });
    const [api] = await Promise.all([cluster.add('command-api'), cluster.add('projections')]);
    expect(await organizations(cluster, api)).to.eql(['Early']);
    await createOrganization(cluster, api, 'Later');
    expect(await organizations(cluster, api)).to.eql(['Early', 'Later']);
    expect((await roomwire(['audit', 'verify'])).stdout).to.include('The read models say what the log says');
  });
});
