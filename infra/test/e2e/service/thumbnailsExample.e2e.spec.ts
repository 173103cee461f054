import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { features } from '@roomwire/shared/wire/protocol/serverFrames';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { runFile, startProgram, stop, type RunningService } from '../../support/program.js';

const example = fileURLToPath(new URL('../../../../../examples/thumbnails/main.mjs', import.meta.url));

/** It waits for a worker that hangs, on a machine that may be busy. */
const patienceMs = 60_000;

describe('the example with three workers in trouble', function () {
  this.timeout(2 * patienceMs);
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let service: RunningService;

  before(function () {
    if (!(features as readonly string[]).includes('jobs')) this.skip();
  });

  beforeEach(async () => {
    folder = await temporaryFolder();
    service = await startProgram(folder.path);
  });
  afterEach(async () => {
    await stop(service);
    await folder.remove();
  });

  it('ends with a thumbnail of every picture that is whole, and the others among the dead letters', async () => {
    const environment = {
      ...{ ROOMWIRE_API_URL: service.baseUrl, ROOMWIRE_DATA_DIR: folder.path, TMPDIR: folder.path },
    };
    const program = runFile(process.execPath, [example], environment);
    const { code } = await program.ended;
    const said = program.stdout();
    expect(code, program.stderr()).to.equal(0);
    expect(said).to.match(/^20 pictures wait$/m);

    const [, made, dead] = /^(\d+) thumbnails in .*, (\d+) dead letters$/m.exec(said) ?? [];
    expect(Number(made) + Number(dead)).to.equal(40);
    expect(Number(dead)).to.be.at.least(2);
    // Each of them had a worker in trouble, and was made or given up by another.
    expect(said).to.match(/^hangs: takes (picture-\d+)$/m);
    const [, hung = ''] = /^hangs: takes (picture-\d+)/m.exec(said) ?? [];
    expect(said).to.match(new RegExp(`takes ${hung} \\(delivery 2\\)$`, 'm'));
    expect(said).to.match(/^throws: gives a picture back: out of memory$/m);
    expect(said).to.match(/^killed: has made picture-\d+$/m);

    const { organizationId, sessionToken } = service.credentials;
    const answer = await fetch(`${service.baseUrl}/v1/organizations/${organizationId}/webhook-dlq?kind=job`, {
      headers: { authorization: `Bearer ${sessionToken}` },
    });
    const { data } = (await answer.json()) as { readonly data: readonly Record<string, unknown>[] };
    expect(data).to.have.length(Number(dead));
    for (const entry of data) expect(entry).to.include({ kind: 'job', group: 'makers', url: null });
    const broken = JSON.stringify(data);
    for (const name of ['picture-07', 'picture-23']) expect(broken).to.include(name);
  });
});
