import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import {
  takeRequest,
  writeStatus,
  RebuildGoesOn,
  type RebuildStatus,
  requestRebuild,
} from '../../src/services/rebuildRequests.js';

describe('a rebuild that is requested from another process', () => {
  let folder: TemporaryFolder;
  let seen: number[];
  let stop: AbortController;

  beforeEach(async () => {
    folder = await temporaryFolder();
    seen = [];
    stop = new AbortController();
  });
  afterEach(() => folder.remove());

  const ask = (silenceMs = 20_000) =>
    requestRebuild(folder.path, {
      ...{ signal: stop.signal, silenceMs },
      onStatus: ({ events }) => void seen.push(events),
    });
  const isRequested = (): Promise<boolean> =>
    access(join(folder.path, 'rebuild.request.json')).then(
      () => true,
      () => false,
    );
  const taken = async (): Promise<string> => {
    let requestId: string | undefined;
    await eventually(async () => (requestId = (await takeRequest(folder.path))?.requestId) !== undefined);
    return requestId ?? '';
  };
  const report = (requestId: string, status: Partial<RebuildStatus>) =>
    writeStatus(folder.path, {
      ...{ requestId, state: 'building', events: 0, position: undefined, head: '9', beat: 0 },
      ...status,
    });

  it('reports its progress and its end', async () => {
    const asked = ask();
    const requestId = await taken();
    await report('of another request', { state: 'done', events: 99 });
    await report(requestId, { events: 5, beat: 1 });
    await eventually(() => seen.length === 1);
    await report(requestId, { state: 'done', events: 9, position: '9', beat: 2 });
    expect(await asked).to.eql({ events: 9, position: '9' });
    expect(seen).to.eql([5, 9]);
  });

  it('fails for the reason that the process reports', async () => {
    const asked = ask().catch((error: Error) => error.message);
    await report(await taken(), { state: 'failed', reason: 'The disk is full', beat: 1 });
    expect(await asked).to.equal('The disk is full');
  });

  it('is withdrawn when no process accepts it, and is not accepted later', async () => {
    const message = await ask(300).catch((error: Error) => error.message);
    expect(message).to.equal('The process that runs on the data folder does not answer');
    expect(await isRequested()).to.equal(false);
  });

  it('is withdrawn when whoever asks is stopped, and is not accepted later', async () => {
    const asked = ask().catch((error: Error) => error.message);
    await eventually(isRequested);
    stop.abort(new Error('Stopped'));
    expect(await asked).to.equal('Stopped');
    expect(await isRequested()).to.equal(false);
  });

  it('goes on when whoever asks is stopped after that, and says so', async () => {
    const asked = ask().catch((error: unknown) => error);
    await report(await taken(), { events: 5, beat: 1 });
    await eventually(() => seen.length === 1);
    stop.abort(new Error('Stopped'));
    expect(await asked).to.be.instanceOf(RebuildGoesOn);
  });

  it('waits while the process works for somebody else', async () => {
    const asked = ask(1_500);
    await eventually(isRequested);
    let beat = 0;
    const since = performance.now();
    await eventually(async () => {
      await report('of another request', { beat: (beat += 1) });
      return performance.now() - since > 2_000;
    });
    await report(await taken(), { state: 'done', events: 9, position: '9', beat: 1 });
    expect(await asked).to.eql({ events: 9, position: '9' });
  });

  it('fails when the process stops reporting progress', async () => {
    const asked = ask(500).catch((error: Error) => error.message);
    const requestId = await taken();
    await report(requestId, { beat: 1 });
    expect(await asked).to.equal('The process that runs on the data folder does not answer');
    expect(seen).to.eql([0]);
  });
});
