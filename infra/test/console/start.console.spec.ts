import { expect } from 'chai';
import {
  expectAccessible,
  openConsoleWorld,
  patienceMs,
  screenshot,
  signIn,
  skipWithoutBrowser,
  type ConsoleWorld,
} from './support/consoleWorld.js';

const mostMs = 120_000;

describe('the first steps of the console', function () {
  this.timeout(3 * patienceMs);
  let world: ConsoleWorld;

  before(skipWithoutBrowser);
  before(async () => void (world = await openConsoleWorld()));
  after(() => world?.close());

  it('lead from an empty project to a message that is seen, within two minutes', async () => {
    const began = Date.now();
    const { page, errors } = await world.open('/console');
    await signIn(page, world.service.credentials.sessionToken);
    const own = page.getByRole('link', { name: 'First project' });
    await own
      .or(page.getByRole('heading', { name: 'First steps' }))
      .first()
      .waitFor();
    if (await own.isVisible()) await own.click();

    // A project without an app begins here by itself.
    await page.getByRole('heading', { name: 'First steps', level: 1 }).waitFor();
    const room = page.getByRole('textbox', { name: 'Room' });
    await room.fill('');
    await page.getByRole('button', { name: 'Make them' }).click();
    expect(await page.getByRole('listitem').filter({ hasText: 'Messages go to' }).count()).to.equal(0);
    await room.fill('Lobby');
    await page.getByRole('button', { name: 'Make them' }).click();
    await page.getByText('Messages go to').waitFor();
    await page.locator('.live-badge', { hasText: 'Live' }).waitFor();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByRole('list', { name: 'Messages that came' }).getByText('text: "Hello"').waitFor();
    const tookMs = Date.now() - began;
    console.log(`      from the sign-in to the first message: ${(tookMs / 1_000).toFixed(1)} s`);
    expect(tookMs).to.be.below(mostMs);

    await page.getByRole('button', { name: 'Make an actor' }).click();
    await page.getByText('at_live_').waitFor();
    expect(await page.getByLabel('A client of your own, CLI').innerText()).to.include('/lobby/chat');
    await page.locator('.steps-next').getByRole('link', { name: 'live room' }).click();
    await page.getByRole('heading', { name: 'Live room' }).waitFor();
    await page.locator('.live-badge', { hasText: 'Live' }).waitFor();
    expect(errors).to.eql([]);
  });

  for (const theme of ['light', 'dark'] as const)
    it(`can be used by everybody, ${theme}`, async () => {
      const { page } = await world.signedIn('start', { theme });
      await page.getByRole('button', { name: 'Make them' }).click();
      await page.locator('.live-badge', { hasText: 'Live' }).waitFor();
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
      await page.getByRole('button', { name: 'Make an actor' }).waitFor();
      await expectAccessible(page);
      await screenshot(page, 'start', theme);
    });

  it('can be read on a phone', async () => {
    const { page } = await world.signedIn('start', { width: 360 });
    await page.getByRole('button', { name: 'Make them' }).click();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByRole('button', { name: 'Make an actor' }).waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).to.equal(360);
    await screenshot(page, 'start-phone', 'light');
  });
});
