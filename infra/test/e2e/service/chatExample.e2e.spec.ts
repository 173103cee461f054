import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { browserPath, openBrowser } from '../../support/browser.js';
import { startProgram, stop, type RunningService } from '../../support/program.js';

const chatServer = fileURLToPath(new URL('../../../../../examples/chat/server.mjs', import.meta.url));

/** A browser starts slowly on a machine that is busy. */
const patienceMs = 60_000;

interface Chat {
  readonly process: ChildProcess;
  readonly url: string;
}

const startChat = async (apiUrl: string, dataDir: string): Promise<Chat> => {
  const environment = { ROOMWIRE_API_URL: apiUrl, ROOMWIRE_DATA_DIR: dataDir, CHAT_PORT: '0' };
  const child = spawn(process.execPath, [chatServer], { env: { ...process.env, ...environment } });
  child.stderr.pipe(process.stderr);
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { process: child, url: /http:\S+/.exec(line)?.[0] ?? '' };
};

describe('the chat example, in a browser', function () {
  this.timeout(3 * patienceMs);
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let service: RunningService;
  let chat: Chat;
  let browser: Browser;
  let contexts: BrowserContext[];

  before(async function () {
    // Continuous integration installs one.
    if (browserPath === undefined) this.skip();
    browser = await openBrowser();
  });
  after(() => browser?.close());

  beforeEach(async () => {
    contexts = [];
    folder = await temporaryFolder();
    service = await startProgram(folder.path);
    chat = await startChat(service.baseUrl, folder.path);
  });
  afterEach(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    chat.process.kill();
    await stop(service);
    await folder.remove();
  });

  /** A window of a browser of its own, as of another device. */
  const enter = async (name: string): Promise<Page> => {
    const context = await browser.newContext();
    contexts.push(context);
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    await page.goto(`${chat.url}?name=${name}`);
    await isConnected(page);
    return page;
  };

  const isConnected = (page: Page): Promise<void> => page.getByText(/^connected as/).waitFor();

  const write = async (page: Page, ...texts: readonly string[]): Promise<void> => {
    for (const text of texts) {
      await page.getByLabel('Message').fill(text);
      await page.getByRole('button', { name: 'Send' }).click();
    }
  };

  const line = (page: Page, text: string) =>
    page.locator('#thread li:not(.sending)', { has: page.getByText(text, { exact: true }) });

  const sees = async (page: Page, ...texts: readonly string[]): Promise<void> => {
    for (const text of texts) await line(page, text).waitFor();
  };

  const textsOf = (page: Page): Promise<string[]> => page.locator('#thread .text').allTextContents();

  const killAndRestart = async (meanwhile: () => Promise<void>): Promise<void> => {
    const port = new URL(service.baseUrl).port;
    await stop(service, 'SIGKILL');
    await meanwhile();
    service = await startProgram(folder.path, { ROOMWIRE_PORT: port });
  };

  const app = async (): Promise<{ readonly appId: string; readonly slug: string }> =>
    JSON.parse(await readFile(join(folder.path, 'chat-example.json'), 'utf8'));

  it('has names, own devices and what was said before', async () => {
    const [ann, bob] = [await enter('Ann'), await enter('Bob')];
    const annElsewhere = await enter('Ann');
    await write(bob, 'hello');
    await sees(ann, 'hello');
    expect(await line(ann, 'hello').locator('b').textContent()).to.equal('Bob');
    await write(ann, 'hi Bob', 'how are you?');
    for (const page of [bob, annElsewhere]) await sees(page, 'how are you?');
    expect(await line(annElsewhere, 'hi Bob').getAttribute('class')).to.equal('line mine');
    expect(await line(bob, 'hi Bob').getAttribute('class')).to.equal('line');
    await ann.reload();
    await sees(ann, 'how are you?');
    const said = ['hello', 'hi Bob', 'how are you?'];
    for (const page of [ann, bob, annElsewhere, await enter('Cleo')]) {
      await sees(page, ...said);
      expect(await textsOf(page)).to.deep.equal(said);
    }
    expect((await ann.locator('#present li').allTextContents()).sort()).to.include.members(['Ann', 'Bob']);
  });

  it('loses nothing and has nothing twice when the service is killed', async () => {
    const [ann, bob] = [await enter('Ann'), await enter('Bob')];
    const annElsewhere = await enter('Ann');
    const pages = [ann, bob, annElsewhere];
    const said: string[] = [];
    const say = async (page: Page, text: string): Promise<void> => {
      said.push(text);
      await write(page, text);
    };
    for (const round of [1, 2]) {
      await say(ann, `Ann before kill ${round}`);
      await say(bob, `Bob before kill ${round}`);
      await killAndRestart(async () => {
        await say(ann, `Ann while it is away ${round}`);
        await say(bob, `Bob while it is away ${round}`);
      });
      await Promise.all(pages.map(isConnected));
      await say(annElsewhere, `Ann after kill ${round}`);
    }
    for (const page of pages) {
      await sees(page, ...said);
      expect((await textsOf(page)).sort()).to.deep.equal([...said].sort());
      expect(await page.locator('.gap').count()).to.equal(0);
    }
    const [first, second] = [await enter('Dan'), await enter('Eve')];
    for (const page of [first, second]) await sees(page, ...said);
    expect(await textsOf(first)).to.deep.equal(await textsOf(second));
    expect((await textsOf(first)).sort()).to.deep.equal([...said].sort());
  });

  it('says where messages are missing', async () => {
    const [ann, bob] = [await enter('Ann'), await enter('Bob')];
    await write(bob, 'first');
    await sees(ann, 'first');
    // It does not come to her own window, which is behind the first one still.
    await write(ann, 'second');
    await sees(bob, 'second');
    const { appId } = await app();
    const { body: rooms } = await service.project.get(`/apps/${appId}/rooms`);
    const path = `/apps/${appId}/rooms/${rooms[0].roomId}/topics/lines/messages`;
    expect((await service.project.delete(path)).status).to.equal(204);
    await killAndRestart(async () => undefined);
    await isConnected(ann);
    await ann.locator('.gap').waitFor();
    await write(bob, 'third');
    await sees(ann, 'third');
    expect(await textsOf(ann)).to.deep.equal(['first', 'second', 'third']);
    expect(await ann.locator('#thread li').nth(2).textContent()).to.include('missing');
  });
});
