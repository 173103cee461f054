import { join } from 'node:path';
import { expect } from 'chai';
import { FrameClient } from '@roomwire/testing/clients/frameClient';
import { freePort } from '@roomwire/testing/run/freePort';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { runFile, startProgram, stop, type Program, type runRoomwire } from '../support/program.js';
import { scrape } from '../support/scrape.js';
import { twoActors } from '../support/twoActors.js';
import { itIsAPackage } from './packageRules.js';
import { pack, patienceMs, projectWith, type Packed } from './packing.js';

describe('the packed program', function () {
  this.timeout(patienceMs);
  let folder: TemporaryFolder;
  let packed: Packed;
  let project: string;

  before(async () => {
    folder = await temporaryFolder();
    packed = await pack('infra', folder.path);
    project = await projectWith(join(folder.path, 'project'), packed.path);
  });
  after(() => folder.remove());

  /** What `npx roomwire` runs there. */
  const roomwire: typeof runRoomwire = (args, environment): Program =>
    runFile(join(project, 'node_modules/.bin/roomwire'), args, environment);

  itIsAPackage(() => packed);

  it('shows its version, and all of its commands', async () => {
    const version = roomwire(['--version']);
    expect((await version.ended).code, version.stderr()).to.equal(0);
    expect(version.stdout()).to.equal(`${packed.contents.packageVersion}\n`);
    const help = roomwire(['--help']);
    expect((await help.ended).code, help.stderr()).to.equal(0);
    expect(help.stdout()).to.match(/start[^]*listen[^]*backup[^]*analytics/);
  });

  it('starts in an empty folder, carries a first message, shows its reference and reports', async () => {
    const data = join(project, 'data');
    const service = await startProgram(data, { ROOMWIRE_ANALYTICS: 'true' }, roomwire);
    try {
      const { topic, listener, sender } = await twoActors(service.project);
      const environment = { ROOMWIRE_URL: service.socketUrl };
      const listening = roomwire(['listen', topic], { ...environment, ROOMWIRE_TOKEN: listener });
      await listening.printed(/Listening on/);
      const publishing = roomwire(['publish', topic, '"hello"'], { ...environment, ROOMWIRE_TOKEN: sender });
      expect((await publishing.ended).code, publishing.stderr()).to.equal(0);
      await listening.printed(/"data":"hello"/);
      listening.process.kill('SIGINT');
      expect((await listening.ended).code).to.equal(0);
      for (const path of ['/docs', '/docs/redoc.standalone.js', '/v1/openapi.json', '/v1/asyncapi.json'])
        expect((await fetch(`${service.baseUrl}${path}`)).status, path).to.equal(200);
    } finally {
      expect((await stop(service)).code).to.equal(0);
    }
    const report = roomwire(['analytics', 'report'], { ROOMWIRE_DATA_DIR: data });
    expect((await report.ended).code, report.stderr()).to.equal(0);
  });

  it('carries a message from one thread to another', async () => {
    const opsPort = String(await freePort());
    const threads = { ROOMWIRE_GATEWAY_THREADS: '2', ROOMWIRE_OPS_PORT: opsPort };
    const service = await startProgram(join(project, 'threads'), threads, roomwire);
    try {
      const { topic, listener, sender } = await twoActors(service.project);
      const receiving = await FrameClient.join(service.socketUrl, listener);
      await receiving.subscribe(topic);
      const publishing = await FrameClient.join(service.socketUrl, sender);
      const { sum } = await scrape(`http://127.0.0.1:${opsPort}/metrics`);
      const sockets = ['1', '2'].map((thread) => sum('roomwire_gateway_thread_sockets', { thread }));
      expect(sockets).to.eql([1, 1]);
      publishing.publish(topic, 'across');
      expect(await receiving.next()).to.include({ data: 'across' });
      for (const client of [receiving, publishing]) client.terminate();
    } finally {
      expect((await stop(service)).code).to.equal(0);
    }
  });
});
