import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { expect } from 'chai';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { freePort } from '@roomwire/testing/run/freePort';
import { runRoomwire, startProgram, stop } from '../../support/program.js';
import { scrape } from '../../support/scrape.js';

describe('the operations port of the program', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let other: Server | undefined;

  beforeEach(async () => void (folder = await temporaryFolder()));
  afterEach(async () => {
    other?.close();
    other = undefined;
    await folder.remove();
  });

  /** Another program, such as Prometheus; if a process already has the port, that one serves. */
  const occupy = async (port: number): Promise<number> => {
    other = createServer();
    other.listen(port, '127.0.0.1');
    await Promise.race([once(other, 'listening'), once(other, 'error')]);
    return (other.address() as AddressInfo | null)?.port ?? port;
  };

  it('serves the metrics while the program runs', async () => {
    const port = await freePort();
    const service = await startProgram(folder.path, { ROOMWIRE_OPS_PORT: String(port) });
    const url = `http://127.0.0.1:${port}/metrics`;
    const shown = await scrape(url);
    expect(shown.sum('roomwire_build_info', { version: '0.1.0' })).to.equal(1);
    expect(shown.sum('process_resident_memory_bytes')).to.be.above(1_000_000);
    expect((await fetch(`${service.baseUrl}/metrics`)).status).to.equal(404);
    expect((await stop(service)).code).to.equal(0);
    expect(await fetch(url).catch(() => 'refused')).to.equal('refused');
  });

  it('is open to this machine alone, whatever the host of the service, unless another one is configured', async () => {
    const port = await freePort();
    const environment = { ROOMWIRE_OPS_PORT: String(port), ROOMWIRE_HOST: '0.0.0.0' };
    const other = `http://127.0.0.2:${port}/metrics`;
    const first = await startProgram(folder.path, environment);
    expect(await fetch(other).catch(() => 'refused')).to.equal('refused');
    await stop(first);
    const second = await startProgram(folder.path, { ...environment, ROOMWIRE_OPS_HOST: '0.0.0.0' });
    expect((await fetch(other)).status).to.equal(200);
    await stop(second);
  });

  it('prevents the start, with one line, when the configured port is in use', async () => {
    const port = await occupy(0);
    const environment = { ROOMWIRE_DATA_DIR: folder.path, ROOMWIRE_PORT: '0', ROOMWIRE_OPS_PORT: `${port}` };
    const program = runRoomwire(['start'], { ...environment, ROOMWIRE_LOG_LEVEL: 'error' });
    expect((await program.ended).code).to.equal(1);
    expect(program.stderr()).to.equal(
      `Port ${port} of 127.0.0.1 is in use; set ROOMWIRE_OPS_PORT to another one, or to 0 for no metrics\n`,
    );
  });

  it('does not prevent a start without a configured port, as with several services on one machine', async () => {
    await occupy(9090);
    const service = await startProgram(folder.path, { ROOMWIRE_OPS_PORT: '' });
    expect((await service.project.get('/apps')).status).to.equal(200);
    expect(service.program.stderr()).to.include('No metrics: the port is in use; set ROOMWIRE_OPS_PORT');
    expect((await stop(service)).code).to.equal(0);
  });
});
