import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { readConfig } from '../../src/config/config.js';
import { freePort } from '@roomwire/testing/run/freePort';
import { createAdapters } from '../../src/engines/adapters.js';
import { createClosingStack, type ClosingStack } from '@roomwire/shared/runtime/closingStack';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { openHealth } from '../../src/services/analytics.js';

describe('The health of the analytics', () => {
  let folder: TemporaryFolder;
  let closing: ClosingStack;

  beforeEach(async () => {
    folder = await temporaryFolder();
    closing = createClosingStack();
  });
  afterEach(async () => {
    await closing.closeAll();
    await folder.remove();
  });

  const open = async (settings: { readonly port: number; readonly isPortGiven: boolean }) => {
    const opsPort = String(await freePort());
    const config = {
      ...readConfig({ ROOMWIRE_DATA_DIR: folder.path, ROOMWIRE_OPS_PORT: opsPort }),
      ...settings,
    };
    const { logger, lines } = createRecordingLogger();
    const { signal } = new AbortController();
    const adapters = createAdapters({ config, logger, closing, signal });
    return { lines, adapters, health: await openHealth({ config, logger, adapters, closing }) };
  };

  const status = async (url: string): Promise<number> => (await fetch(url)).status;

  it('is that of a service: alive at once, ready while it can read and write', async () => {
    const { adapters, health } = await open({ port: 0, isPortGiven: true });
    const [healthz, readyz] = [`${health.baseUrl}/healthz`, `${health.baseUrl}/readyz`];
    expect([await status(healthz), await status(readyz)]).to.eql([200, 503]);
    const bus = await adapters.bus();
    const disk = { isWell: true };
    health.watch([
      { isWell: true, show: () => undefined },
      {
        get isWell() {
          return disk.isWell;
        },
        show: (sink) => sink.value('roomwire_analytics_facts_waiting', 7, { stream: 'messages' }),
      },
    ]);
    expect(await status(readyz)).to.equal(200);
    const metrics = await (await fetch(health.metricsUrl ?? '')).text();
    expect(metrics).to.match(/^roomwire_analytics_facts_waiting\{stream="messages"\} 7$/m);
    expect(metrics).to.match(/^roomwire_build_info\{/m);
    disk.isWell = false;
    await eventually(async () => (await status(readyz)) === 503);
    disk.isWell = true;
    await eventually(async () => (await status(readyz)) === 200);
    await bus.close();
    await eventually(async () => (await status(readyz)) === 503);
    expect(await status(healthz)).to.equal(200);
  });

  describe('when the port is in use', () => {
    let other: Server;
    let port: number;

    beforeEach(async () => {
      other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      ({ port } = other.address() as AddressInfo);
    });
    afterEach(() => void other.close());

    it('prevents the start if the port was configured', async () => {
      const error = await open({ port, isPortGiven: true }).catch((caught: unknown) => caught);
      expect(error).to.have.property('code', 'EADDRINUSE');
    });

    it('is disabled if the port was not configured, with a warning in the log', async () => {
      const { health, lines } = await open({ port, isPortGiven: false });
      expect(health.baseUrl).to.equal(undefined);
      expect(lines.map(({ level, message }) => [level, message])).to.deep.include([
        'warn',
        'No health: the port is in use; set ROOMWIRE_PORT to another one',
      ]);
      expect(await status(health.metricsUrl ?? '')).to.equal(200);
    });
  });
});
