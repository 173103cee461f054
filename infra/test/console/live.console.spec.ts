import { connect } from '@roomwire/sdk';
import { isOnEngines } from '@roomwire/testing/run/testProfile';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { actorOf, appWithRoom } from '../support/hookedApp.js';
import {
  expectAccessible,
  openConsoleWorld,
  patienceMs,
  screenshot,
  skipWithoutBrowser,
  type ConsoleWorld,
} from './support/consoleWorld.js';
import { countFrameGaps, longestFrameGap } from './support/frameGaps.js';

describe('the live room of the console', function () {
  this.timeout(3 * patienceMs);
  let world: ConsoleWorld;
  let appId: string;
  let address: string;

  before(skipWithoutBrowser);
  before(async () => {
    world = await openConsoleWorld();
    const { project } = world.service;
    const topicConfigs = { news: { history: {} } };
    ({ appId, topic: address } = await appWithRoom(project, { name: 'Support', topicConfigs }));
  });
  after(() => world?.close());

  const pathTo = (topic: string, more = ''): string =>
    `live?address=${encodeURIComponent(address.replace(/[^/]+$/, topic))}${more}`;

  const publish = (topic: string, messages: readonly object[]) =>
    world.service.project.post('/publish', {
      messages: messages.map((message) => ({ topic: address.replace(/[^/]+$/, topic), ...message })),
    });

  const watching = (page: Page) => page.locator('.live-badge', { hasText: 'Live' }).waitFor();
  const messages = (page: Page) => page.getByRole('listbox', { name: 'Messages, the newest first' });

  it('finds a room by its name, shows what is published and what it consists of', async () => {
    const { page, errors } = await world.signedIn('live');
    await page.getByText('Choose a room and a topic').waitFor();
    await page.getByRole('combobox', { name: 'App' }).fill('supp');
    await page.getByRole('option', { name: 'Support' }).click();
    await page.getByRole('combobox', { name: 'Room' }).click();
    await page.getByRole('option', { name: 'lobby' }).click();
    await page.getByRole('button', { name: 'Topic' }).click();
    await page.getByRole('option', { name: 'chat' }).click();
    await watching(page);

    // bin8 of `{ text: 'Hi', photo: <3 bytes> }`.
    const packed = Buffer.from('82a474657874a24869a570686f746fc4030102ff', 'hex').toString('base64');
    await publish('chat', [
      { data: { text: 'first', deep: { list: [1, 2] } }, filter: 'eu' },
      { base64: packed },
    ]);
    await page.getByRole('option', { name: /text: "Hi"/ }).click();
    const details = page.getByRole('region', { name: 'The message' });
    expect(await details.innerText())
      .to.include('3 bytes')
      .and.include('01 02 ff')
      .and.include('a backend');

    // The keyboard goes to the one below, which is older.
    await messages(page).press('ArrowDown');
    await details.getByText('"first"').waitFor();
    expect(await details.innerText()).to.include('eu');
    expect(await page.getByText('2 messages').count()).to.equal(1);
    expect(errors).to.eql([]);
  });

  it('publishes, and says at the field what is no JSON', async () => {
    const { page } = await world.signedIn(pathTo('chat'));
    await watching(page);
    const data = page.getByRole('textbox', { name: 'Data' });
    await data.fill('{ text }');
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('This is not JSON.').waitFor();

    await data.fill('{ "text": "from the page" }');
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('Published:').waitFor();
    await page.getByRole('option', { name: /from the page/ }).waitFor();

    await page.getByText('Publish this from a program').click();
    await page.getByRole('tab', { name: 'curl' }).click();
    const code = await page.getByLabel('Publish this, curl').innerText();
    expect(code).to.include(address).and.include('from the page').and.not.include('ak_');
  });

  it('leaves nothing of a topic behind in another one', async () => {
    const { page } = await world.signedIn(pathTo('chat'));
    await watching(page);
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('Published:').waitFor();
    await page.getByRole('option', { name: /"Hello"/ }).click();
    await page.getByText(/^Who got it/).waitFor();
    await page.locator('.place-bar').getByRole('button', { name: 'Topic' }).click();
    await page.getByRole('option', { name: 'news' }).click();
    await page.locator('.live-head', { hasText: '/lobby/news' }).waitFor();
    expect(await page.getByText(/^Published:|^Who got it/).count()).to.equal(0);
  });

  it('shows only what fits the filters', async () => {
    const { page } = await world.signedIn(pathTo('chat'));
    await watching(page);
    const filters = page.getByRole('textbox', { name: 'Filters' });
    await filters.fill('eu');
    await filters.press('Enter');
    await page.waitForURL(/filters=eu/);
    await watching(page);
    await publish('chat', [
      { data: 'elsewhere', filter: 'us' },
      { data: 'here', filter: 'eu' },
    ]);
    await page.getByRole('option', { name: /here/ }).waitFor();
    expect(await page.getByRole('option', { name: /elsewhere/ }).count()).to.equal(0);

    await filters.fill('a|b');
    await filters.press('Enter');
    await page.getByRole('alert').getByText('filter', { exact: false }).waitFor();
  });

  it('reads the history further back as one scrolls', async () => {
    for (const part of [0, 1, 2])
      await publish(
        'news',
        Array.from({ length: 100 }, (_, index) => ({ data: `news ${part * 100 + index}` })),
      );
    const { page } = await world.signedIn(pathTo('news'));
    await watching(page);
    // Of before, so that it is not empty.
    await page.getByRole('option', { name: /"news 299"/ }).waitFor();
    await page.getByRole('tab', { name: 'History' }).click();
    const kept = page.getByRole('listbox', { name: 'Kept messages, the newest first' });
    await kept.getByRole('option', { name: /"news 299"/ }).waitFor();
    await kept.focus();
    for (let end = 0; end < 3; end += 1) {
      await page
        .locator(`[aria-setsize="${(end + 1) * 100}"]`)
        .first()
        .waitFor();
      await kept.press('End');
    }
    await kept.getByRole('option', { name: /"news 0"/ }).waitFor();
  });

  it('shows who is present, and the groups with what waits', async () => {
    const { project, socketUrl } = world.service;
    const { accessToken, actorTokenId } = await actorOf(project, { name: 'Ann' });
    const client = connect({ url: socketUrl, token: accessToken });
    await client.ready();
    await client.enter(address.split('/').slice(0, 2).join('/'), { name: 'Ann' });
    const rooms = (await project.get(`/apps/${appId}/rooms`)).body;
    const { roomId } = rooms[0];
    await project.post(`/apps/${appId}/rooms/${roomId}/groups`, { topic: 'chat', name: 'invoices' });
    try {
      const { page } = await world.signedIn(pathTo('chat'));
      await page.getByRole('tab', { name: 'Who is here' }).click();
      await page.getByRole('table').getByText(actorTokenId.slice(0, 8)).waitFor();
      // The observer is no actor of the room.
      expect(await page.getByRole('table').getByRole('row').count()).to.equal(2);
      await page.getByRole('tab', { name: 'Worker groups' }).click();
      await publish('chat', [{ data: 'one' }, { data: 'two' }]);
      await page.getByRole('row', { name: /invoices, of chat 2 0 0/ }).waitFor();
    } finally {
      await client.close();
    }
  });

  it('says that a room is not here, and that the connection is lost, and goes on by itself', async () => {
    const { page: other } = await world.signedIn('live?address=nobody-1a2b/lobby/chat');
    await other.getByText('nobody-1a2b/lobby/chat is not here').waitFor();

    const { page } = await world.signedIn('live');
    let cut: (() => Promise<void>) | undefined;
    await page.routeWebSocket(/\/ws/, (socket) => {
      const server = socket.connectToServer();
      cut = async () => {
        await socket.close({ code: 1011 });
        await server.close();
      };
    });
    await page.getByRole('combobox', { name: 'App' }).fill('supp');
    await page.getByRole('option', { name: 'Support' }).click();
    await page.getByRole('combobox', { name: 'Room' }).click();
    await page.getByRole('option', { name: 'lobby' }).click();
    await page.getByRole('button', { name: 'Topic' }).click();
    await page.getByRole('option', { name: 'chat' }).click();
    await watching(page);
    await cut?.();
    await page.getByText('The connection was lost.').waitFor();
    await page.getByText('Connected again.').waitFor();
    await watching(page);
    await publish('chat', [{ data: 'after the loss' }]);
    await page.getByRole('option', { name: /after the loss/ }).waitFor();
  });

  it('samples a flood, counts all of it, and goes on answering', async function () {
    // The page is the same on engines, which on one machine leave it little time to show that.
    if (isOnEngines()) return this.skip();
    const { page } = await world.signedIn(pathTo('chat'));
    await watching(page);
    await countFrameGaps(page);
    const total = 10_000;
    const batch = Array.from({ length: 100 }, (_, index) => ({ data: { index, text: 'x'.repeat(100) } }));
    const batches = total / batch.length;
    let [sent, accepted] = [0, 0];
    const flood = [0, 1, 2, 3].map(async () => {
      while (sent < batches) {
        sent += 1;
        // A batch that is refused as a whole has none.
        const { body } = await publish('chat', batch);
        const { results = [] } = body as { results?: readonly object[] };
        accepted += results.filter((result) => 'at' in result).length;
      }
    });
    await page.getByText(/Sampled: showing [\d,]+ of [\d,]+\/s/).waitFor();
    // It answers in the flood.
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Go on' }).click();
    await Promise.all(flood);
    // Above the rate of a project some are refused; of those that were accepted each is counted.
    await page.getByText(`${accepted.toLocaleString('en')} messages`).waitFor();
    expect(await page.getByRole('option').count()).to.be.below(60);
    expect(await longestFrameGap(page)).to.be.below(500);
  });

  for (const theme of ['light', 'dark'] as const)
    it(`can be used by everybody, ${theme}`, async () => {
      const { page } = await world.signedIn(pathTo('news'), { theme });
      await watching(page);
      await publish('news', [{ data: { order: { number: 4711, lines: ['tea', 'rice'] } }, filter: 'eu' }]);
      await page.getByRole('option', { name: /4711/ }).first().click();
      await expectAccessible(page);
      await screenshot(page, 'live', theme);
    });

  it('can be read on a phone', async () => {
    const { page } = await world.signedIn(pathTo('news'), { width: 360 });
    await watching(page);
    await page.getByRole('option', { name: /news/ }).first().click();
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(wide).to.equal(360);
    await screenshot(page, 'live-phone', 'light');
  });
});
