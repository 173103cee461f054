import { connect, type Client } from '@roomwire/sdk';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sessionOf } from '../e2e/rest/contract/world.js';
import {
  expectAccessible,
  openConsoleWorld,
  patienceMs,
  screenshot,
  skipWithoutBrowser,
  type ConsoleWorld,
  type Theme,
} from './support/consoleWorld.js';
import { expectNoSidewaysScroll } from './support/fits.js';
import { makeSupportDesk, viewerOf, type SupportDesk } from './support/supportDesk.js';

describe('the console, connections', function () {
  this.timeout(2 * patienceMs);
  before(skipWithoutBrowser);

  let world: ConsoleWorld;
  let desk: SupportDesk;
  const clients: Client[] = [];

  before(async () => {
    world = await openConsoleWorld();
    desk = await makeSupportDesk(world.service.project);
  });
  after(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await world?.close();
  });

  const connected = async (): Promise<Client> => {
    const client = connect({ url: world.service.socketUrl, token: desk.ada.accessToken });
    clients.push(client);
    await client.subscribe(desk.address, () => undefined, { filters: ['eu', ['us', 'urgent']] });
    return client;
  };
  const rows = (page: Page) => page.getByRole('table', { name: 'Connections' }).getByRole('row');
  const open = (page: Page) => rows(page).filter({ has: page.getByText('open', { exact: true }) });
  const facts = (page: Page) => page.getByRole('list', { name: 'What happened' }).getByRole('listitem');

  it('lists who is connected, found by actor, room and state, and says in sentences what happened', async () => {
    const client = await connected();
    const { page } = await world.signedIn('connections');
    await open(page).filter({ hasText: 'Ada' }).waitFor();

    await page.getByRole('combobox', { name: 'Room' }).fill(`${desk.room.split('/')[0]}/`);
    await page.getByRole('option', { name: 'lobby' }).click();
    await page.getByRole('combobox', { name: 'Actor' }).fill('ad');
    await page.getByRole('option', { name: 'Ada' }).click();
    await page.getByText('Ada, user').waitFor();
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.waitForURL((url) => url.searchParams.get('room') === desk.room);
    expect(new URL(page.url()).searchParams.get('actorId')).to.equal(desk.ada.actorTokenId);

    await open(page).getByRole('link').first().click();
    await facts(page)
      .filter({ hasText: `It subscribed to ${desk.address}` })
      .waitFor();
    expect(await facts(page).first().innerText()).to.include('It authenticated.');
    expect(await facts(page).nth(1).innerText()).to.include('only messages with eu or (us and urgent)');

    await client.close();
    await facts(page).filter({ hasText: 'It was closed: by the client' }).waitFor();
    await page.getByRole('heading', { level: 1 }).getByText('closed').waitFor();
    expect(await page.getByRole('button', { name: 'Close it' }).count()).to.equal(0);
  });

  it('says what is no room, and that nobody is there', async () => {
    const { page } = await world.signedIn('connections');
    const room = page.getByRole('combobox', { name: 'Room' });
    await room.fill('No Room');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.locator('.field-error').filter({ hasText: 'must match' }).waitFor();
    await room.fill('support-desk/nowhere');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByText('No connection', { exact: true }).waitFor();
  });

  it('closes a connection, once it was confirmed', async () => {
    const client = await connected();
    const closed = new Promise<unknown>((resolve) => client.on('state', resolve));
    const { page } = await world.signedIn(`connections?actorId=${desk.ada.actorTokenId}&state=open`);
    await open(page).getByRole('link').first().click();
    await page.getByRole('button', { name: 'Close it' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
    expect(client.state.name).to.equal('connected');
    await page.getByRole('button', { name: 'Close it' }).click();
    await page.getByRole('button', { name: 'Close the connection' }).click();
    await closed;
    await facts(page).filter({ hasText: 'somebody closed it, 4001' }).waitFor();
  });

  it('shows a viewer no button to close', async () => {
    const client = await connected();
    const { organizationId } = world.service.credentials;
    const sessionToken = await viewerOf(organizationId);
    const { page } = await world.signedIn('connections?state=open', { sessionToken });
    await open(page).first().getByRole('link').first().click();
    await facts(page).first().waitFor();
    expect(await page.getByRole('button', { name: 'Close it' }).count()).to.equal(0);
    await client.close();
  });

  it('says that a connection is not on record, and opens nothing to another organization', async () => {
    const { page } = await world.signedIn('connections/00000000-0000-4000-8000-000000000000');
    await page.getByText('This connection is not on record').waitFor();
    const { organizationId } = await world.service.newProject();
    const other = await world.signedIn('connections', { sessionToken: await sessionOf(organizationId) });
    await other.page.getByText('This project is not here').waitFor();
  });

  for (const theme of ['light', 'dark'] as readonly Theme[])
    it(`is accessible and fits a phone, ${theme}`, async () => {
      await connected();
      const { page, errors } = await world.signedIn('connections', { theme });
      await open(page).first().waitFor();
      await expectAccessible(page);
      await screenshot(page, 'connections', theme);
      await open(page).first().getByRole('link').first().click();
      await facts(page).nth(1).waitFor();
      await expectAccessible(page);
      await screenshot(page, 'connection', theme);
      await page.setViewportSize({ width: 360, height: 800 });
      await expectNoSidewaysScroll(page);
      await page.getByRole('link', { name: '← Connections' }).click();
      await open(page).first().waitFor();
      await expectNoSidewaysScroll(page);
      expect(errors).to.eql([]);
    });
});
