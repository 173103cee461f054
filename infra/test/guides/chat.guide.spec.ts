import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { browserPath, openBrowser } from '../support/browser.js';
import { startProgram, stop, type RunningService } from '../support/program.js';
import { Guide } from './guide.js';
import { outputOf, startIn, type Started } from './started.js';

/** A browser starts slowly on a machine that is busy. */
const patienceMs = 60_000;

describe('the guide to a chat, in a browser', function () {
  this.timeout(3 * patienceMs);
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let service: RunningService;
  let browser: Browser;
  let children: ChildProcess[];

  before(async function () {
    // Continuous integration installs one.
    if (browserPath === undefined) this.skip();
    browser = await openBrowser();
  });
  after(() => browser?.close());

  beforeEach(async () => {
    children = [];
    folder = await temporaryFolder();
    service = await startProgram(join(folder.path, 'data'));
  });
  afterEach(async () => {
    for (const child of children) child.kill();
    await stop(service);
    await folder.remove();
  });

  const started = (guide: Guide, file: string): Started => {
    const running = startIn(guide, file);
    children.push(running.child);
    return running;
  };

  /** A window of a browser of its own, as of another device. */
  const open = async (address: string): Promise<Page> => {
    const context = await browser.newContext();
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    await page.goto(address);
    await isConnected(page);
    return page;
  };

  const isConnected = (page: Page): Promise<void> =>
    page.locator('#connection', { hasText: 'connected' }).waitFor();

  const write = async (page: Page, text: string): Promise<void> => {
    await page.getByLabel('Line').fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
  };

  const sees = (page: Page, text: string): Promise<void> => page.getByText(text, { exact: true }).waitFor();

  const linesOf = (page: Page): Promise<string[]> => page.locator('li').allTextContents();

  it('shows history, what is said now, who is there, and lets guests read only', async () => {
    const addresses = { ROOMWIRE_URL: service.baseUrl, ROOMWIRE_GATEWAY: service.socketUrl, PORT: '0' };
    const guide = await Guide.open('build-a-chat.md', folder.path, addresses);
    outputOf(await guide.run('npx', 'roomwire', 'login'));
    expect(guide.take('install.sh')).to.equal('npm install react react-dom esbuild\n');
    await guide.shell('prepare.sh');
    for (const title of ['backend.mjs', 'index.html', 'chat.jsx']) await guide.write(title);
    await guide.shell('bundle.sh');
    expect(guide.unused).to.eql([]);
    const backend = started(guide, 'backend.mjs');
    await eventually(() => backend.lines.length === 1, { withinMs: patienceMs });
    const address = backend.lines[0] ?? '';

    const ann = await open(`${address}/?name=Ann`);
    const bob = await open(`${address}/?name=Bob`);
    await sees(ann, 'Here: Ann, Bob');
    await sees(bob, 'Here: Ann, Bob');
    const said = Array.from({ length: 25 }, (_, number) => `line ${number}`);
    for (const text of said) {
      await write(ann, text);
      await sees(ann, `Ann: ${text}`);
    }
    await sees(bob, 'Ann: line 24');
    const everything = said.map((text) => `Ann: ${text}`);
    expect(await linesOf(ann)).to.eql(everything);
    expect(await linesOf(bob)).to.eql(everything);

    const guest = await open(address);
    await sees(guest, 'Ann: line 24');
    expect(await linesOf(guest)).to.eql(everything.slice(5));
    await guest.getByRole('button', { name: 'Earlier' }).click();
    await sees(guest, 'Ann: line 0');
    expect(await linesOf(guest)).to.eql(everything);
    expect(await guest.getByLabel('Line').count()).to.equal(0);
    guide.set({ ROOMWIRE_TOKEN: await (await fetch(`${address}/token`)).text() });
    const refused = await guide.run('npx', 'roomwire', 'publish', `${guide.get('ROOM')}/lines`, '{}');
    expect(refused.stderr).to.include('unknown_topic');

    // The service is away for a while, and the pages miss nothing.
    const port = new URL(service.baseUrl).port;
    await stop(service);
    await bob.locator('#connection', { hasText: 'waiting' }).waitFor();
    service = await startProgram(join(folder.path, 'data'), { ROOMWIRE_PORT: port });
    await Promise.all([ann, bob, guest].map(isConnected));
    await write(bob, 'back');
    await Promise.all([ann, bob, guest].map((page) => sees(page, 'Bob: back')));
    await sees(ann, 'Here: Ann, Bob');
    for (const page of [ann, bob, guest]) expect(await linesOf(page)).to.eql([...everything, 'Bob: back']);
    await bob.close();
    await sees(ann, 'Here: Ann');
  });
});
