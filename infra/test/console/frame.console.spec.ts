import { expect } from 'chai';
import {
  expectAccessible,
  openConsoleWorld,
  patienceMs,
  skipWithoutBrowser,
  type ConsoleWorld,
} from './support/consoleWorld.js';

describe('the console, around its pages', function () {
  this.timeout(3 * patienceMs);
  let world: ConsoleWorld;

  before(skipWithoutBrowser);
  before(async () => void (world = await openConsoleWorld()));
  after(() => world?.close());

  it('asks no other host for anything', async () => {
    const { page } = await world.signedIn('overview');
    const foreign: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(world.service.baseUrl) && !request.url().startsWith('data:'))
        foreign.push(request.url());
    });
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    for (const name of ['Apps and rooms', 'Actors', 'Scopes', 'Keys']) {
      await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { name, exact: true }).waitFor();
    }
    expect(foreign).to.eql([]);
    await page.context().close();
  });

  it('is used with the keyboard alone', async () => {
    const { page } = await world.signedIn('overview');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('Tab');
    const focused = () => page.evaluate<string>('document.activeElement.textContent');
    expect(await focused()).to.equal('Skip to content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate<string>('document.activeElement.id')).to.equal('content');
    const link = page.getByRole('navigation').getByRole('link', { name: 'Actors' });
    await link.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Actors' }).waitFor();
    expect(await page.title()).to.equal('Actors – Roomwire console');
    // Who goes on from here is in the page, not at the top of the menu again.
    expect(await page.evaluate<string>('document.activeElement.id')).to.equal('content');
    expect(await link.getAttribute('aria-current')).to.equal('page');
    await page.context().close();
  });

  it('says that the service does not answer, and goes on when it does', async () => {
    const { page } = await world.signedIn('actors');
    await page.getByRole('heading', { name: 'Actors' }).waitFor();
    await page.context().setOffline(true);
    // Its code has not been loaded, either.
    await page.getByRole('link', { name: 'Scopes' }).click();
    await page.getByText('The service does not answer. What you see').waitFor();
    await expectAccessible(page);
    await page.context().setOffline(false);
    await page.getByText('The service does not answer').first().waitFor({ state: 'detached' });
    await page.getByText('No scope yet').waitFor();
    await page.context().close();
  });

  it('is light or dark as one chooses, and remembers that', async () => {
    const { page } = await world.signedIn('overview', { theme: 'light' });
    const background = () =>
      page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const light = await background();
    await page.getByRole('button', { name: 'Account and appearance' }).click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    await page.locator('html[data-theme=dark]').waitFor();
    const dark = await background();
    expect(dark).not.to.equal(light);
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in to the console' }).waitFor();
    expect(await background()).to.equal(dark);
    await page.context().close();
  });

  it('folds its menu on a phone, and is never wider than it', async () => {
    const { page } = await world.signedIn('overview', { width: 360 });
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    for (const name of ['Apps and rooms', 'Actors', 'Scopes', 'Keys']) {
      await page.getByRole('button', { name: 'Open the menu' }).click();
      await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { name, exact: true }).waitFor();
      expect(await page.evaluate<number>('document.documentElement.scrollWidth'), name).to.equal(360);
    }
    await page.context().close();
  });

  it('knows when there is no such page', async () => {
    const { page } = await world.signedIn('nowhere');
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await page.context().close();
  });

  it('leads from one project to another', async () => {
    const { organizationId } = world.service.credentials;
    const made = await world.service.operator.post(`/organizations/${organizationId}/projects`, {
      name: 'Second',
    });
    const { page } = await world.signedIn('actors');
    await page.getByRole('button', { name: 'choose another project' }).click();
    await page.getByRole('menuitemradio', { name: 'Second' }).click();
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    expect(page.url()).to.include(made.body.projectId);
    await page.context().close();
  });
});
