import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { runRoomwire, startProgram, stop } from '../../support/program.js';
import { TraceCollector } from '../../support/traceCollector.js';

describe('tracing of the program', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let collector: TraceCollector;

  beforeEach(async () => {
    folder = await temporaryFolder();
    collector = await TraceCollector.open();
  });
  afterEach(async () => {
    await collector.close();
    await folder.remove();
  });

  /** Makes the program say at its end which of OpenTelemetry's packages it has loaded. */
  const sayingWhatIsLoaded = async (): Promise<Record<string, string>> => {
    const file = join(folder.path, 'loaded.cjs');
    await writeFile(
      file,
      `process.on('exit', () => {
         const files = Object.keys(require('module')._cache).filter((name) => /sdk-trace|otlp/.test(name));
         process.stderr.write('loaded: ' + files.length + '\\n');
       });`,
    );
    return { NODE_OPTIONS: `--require ${file}` };
  };

  it('loads no tracing library unless it is configured', async () => {
    const service = await startProgram(join(folder.path, 'data'), await sayingWhatIsLoaded());
    await stop(service);
    expect(service.program.stderr()).to.match(/^loaded: 0$/m);
  });

  it('exports pending spans before it ends, under the configured name', async () => {
    const service = await startProgram(join(folder.path, 'data'), {
      ...(await sayingWhatIsLoaded()),
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.endpoint}/`,
      OTEL_TRACES_SAMPLER: 'always_on',
      OTEL_SERVICE_NAME: 'mine',
    });
    await service.project.get('/apps');
    expect((await stop(service)).code).to.equal(0);
    expect(service.program.stderr()).to.match(/^loaded: [1-9]\d*$/m);
    expect([...collector.paths]).to.eql(['POST /v1/traces application/json']);
    expect(collector.spans.find(({ name }) => name === 'GET /v1/apps')).to.include({ service: 'mine' });
  });

  it('keeps the program running without its collector, lets it end in time, and logs the failure once', async () => {
    collector.status = 400;
    const service = await startProgram(join(folder.path, 'data'), {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_TRACES_SAMPLER: 'always_on',
      OTEL_BSP_SCHEDULE_DELAY: '20',
    });
    for (let refused = 1; refused <= 3; refused += 1) {
      expect((await service.project.get('/apps')).status).to.equal(200);
      await eventually(() => collector.requests >= refused, { withinMs: 10_000 });
    }
    await service.program.printed(/"message":"Traces cannot be sent","reason":"Bad Request"/);
    await collector.close();
    expect((await service.project.get('/apps')).status).to.equal(200);
    expect((await stop(service)).code).to.equal(0);
    expect(service.program.stderr().match(/Traces cannot be sent/g)).to.have.length(1);
    collector = await TraceCollector.open();
  });

  it('prevents a start with unsupported settings', async () => {
    const program = runRoomwire(['start'], {
      ROOMWIRE_DATA_DIR: folder.path,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_TRACES_SAMPLER: 'sometimes',
      OTEL_TRACES_SAMPLER_ARG: '2',
    });
    expect((await program.ended).code).to.equal(2);
    expect(program.stderr().trim().split('\n')).to.have.length(1);
    for (const name of ['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_TRACES_SAMPLER must', 'OTEL_TRACES_SAMPLER_ARG'])
      expect(program.stderr()).to.include(name);
  });
});
