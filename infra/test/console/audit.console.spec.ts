import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { done, sessionOf } from '../e2e/rest/contract/world.js';
import {
  expectAccessible,
  openConsoleWorld,
  patienceMs,
  screenshot,
  signIn,
  skipWithoutBrowser,
  type ConsoleWorld,
  type Theme,
} from './support/consoleWorld.js';
import { expectNoSidewaysScroll } from './support/fits.js';
import { makeSupportDesk, type SupportDesk } from './support/supportDesk.js';

describe('the console, audit', function () {
  this.timeout(2 * patienceMs);
  before(skipWithoutBrowser);

  let world: ConsoleWorld;
  let desk: SupportDesk;

  before(async () => {
    world = await openConsoleWorld();
    const { project } = world.service;
    desk = await makeSupportDesk(project);
    const path = `/apps/${desk.appId}/rooms/${desk.roomId}`;
    done(await project.patch(path, { name: 'Entrance', description: 'Where guests wait' }));
  });
  after(() => world?.close());

  const changes = (page: Page) => page.getByRole('list', { name: 'Changes' }).getByRole('listitem');

  it('shows what was changed, newest first, and by whom; filters stand in the address', async () => {
    const { page } = await world.signedIn('audit');
    await changes(page).filter({ hasText: 'Room updated' }).waitFor();
    const titles = await changes(page).locator('strong').allInnerTexts();
    expect(titles.indexOf('Room updated')).to.be.within(0, titles.indexOf('Room created') - 1);
    const updated = changes(page).filter({ hasText: 'Room updated' });
    expect(await updated.innerText())
      .to.include('name, description')
      .and.include('API key');

    await page.getByLabel('Type').fill('RoomGrantAdded');
    await page.keyboard.press('Enter');
    await page.waitForURL(/type=RoomGrantAdded/);
    await changes(page).filter({ hasText: 'Room updated' }).waitFor({ state: 'detached' });
    await changes(page).first().waitFor();
    expect(await changes(page).locator('strong').allInnerTexts()).to.eql(['Room grant added']);

    await page.getByRole('button', { name: 'Clear' }).click();
    await updated.waitFor();
    expect(new URL(page.url()).search).to.equal('');
  });

  it('leads from a change to what it changed, side by side, and to the record at that time', async () => {
    const { page } = await world.signedIn(`audit?resourceId=${desk.roomId}&type=RoomUpdated`);
    await page.getByRole('button', { name: /Details of Room updated/ }).click();
    await page
      .getByRole('listitem')
      .filter({ hasText: desk.roomId })
      .getByRole('link', { name: 'What it changed' })
      .first()
      .click();
    const row = page
      .getByRole('table', { name: 'Differences' })
      .getByRole('row')
      .filter({ hasText: 'Lobby' });
    expect(await row.innerText())
      .to.match(/name\s+"Lobby"\s+"Entrance"/)
      .and.include('Room updated');
    expect(await page.getByRole('group', { name: 'The record' }).innerText()).to.include('Where guests wait');

    const [then] = done(await world.service.operator.get(auditPath('?type=RoomGrantAdded'))).data;
    await page.goto(recordAt(desk.roomId, then.occurredAt));
    await signInAgain(page);
    const record = page.getByRole('group', { name: 'The record' });
    expect(await record.innerText()).to.include('"name": "Lobby"');
  });

  const auditPath = (query: string): string =>
    `/organizations/${world.service.credentials.organizationId}/audit${query}`;
  const recordAt = (resourceId: string, at: string): string =>
    `${world.service.baseUrl}${world.pathOf('audit/record')}?resourceId=${resourceId}&to=${encodeURIComponent(at)}`;
  const signInAgain = async (page: Page): Promise<void> => {
    await signIn(page, world.service.credentials.sessionToken);
  };

  it('says at the field what is no id, and what is no record', async () => {
    const { page } = await world.signedIn('audit/record');
    await page.getByText('Which record?').waitFor();
    const field = page.getByLabel('Record', { exact: true });
    await field.fill('lobby');
    await field.press('Enter');
    await page.locator('.field-error').waitFor();
    expect(await field.getAttribute('aria-invalid')).to.equal('true');
    await field.fill('00000000-0000-4000-8000-000000000000');
    await field.press('Enter');
    await page
      .getByRole('alert')
      .filter({ hasText: /not found/i })
      .waitFor();
  });

  it('shows what was refused to whom', async () => {
    const { organizationId, projectId } = world.service.credentials;
    const keys = `/organizations/${organizationId}/projects/${projectId}/api-keys`;
    const narrow = { name: 'Reader', permissions: ['apps:read'] };
    const { apiKey, keyId } = done(await world.service.operator.post(keys, narrow));
    expect((await world.service.client(apiKey).post('/apps', { name: 'No' })).status).to.equal(403);
    const { page } = await world.signedIn(`audit/refused?principal=apiKey:${keyId}`);
    const row = page.getByRole('table', { name: 'Refusals' }).getByRole('row').nth(1);
    const isThere = () =>
      row.waitFor({ timeout: 2_000 }).then(
        () => true,
        () => false,
      );
    while (!(await isThere())) await page.getByRole('button', { name: 'Show', exact: true }).click();
    expect(await row.innerText())
      .to.include('POST /v1/apps')
      .and.include('permission_missing');
  });

  it('reads earlier changes on demand', async () => {
    const { project } = world.service;
    for (let n = 0; n < 55; n += 1)
      done(await project.post('/actors', { name: `N${n}`, actorType: 'device' }));
    const { page } = await world.signedIn('audit?type=ActorCreated');
    await changes(page).nth(49).waitFor();
    expect(await changes(page).count()).to.equal(50);
    await page.getByRole('button', { name: 'Earlier changes' }).click();
    await changes(page).nth(56).waitFor();
  });

  it('keeps what it shows while there is no connection, and goes on afterwards', async () => {
    const { page } = await world.signedIn('audit?type=RoomUpdated');
    await changes(page).first().waitFor();
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page
      .getByText(/does not answer/)
      .first()
      .waitFor();
    expect(await changes(page).count()).to.equal(1);
    await page.context().setOffline(false);
    await page.getByText(/does not answer/).waitFor({ state: 'detached' });
    expect(await changes(page).count()).to.equal(1);
  });

  it('opens nothing to a session of another organization', async () => {
    const { organizationId } = await world.service.newProject();
    const sessionToken = await sessionOf(organizationId);
    const { page } = await world.signedIn('audit', { sessionToken });
    await page.getByText('This project is not here').waitFor();
  });

  for (const theme of ['light', 'dark'] as readonly Theme[])
    it(`is accessible and fits a phone, ${theme}`, async () => {
      const { page, errors } = await world.signedIn(`audit?resourceId=${desk.roomId}`, { theme });
      await page.getByRole('button', { name: /Details of Room updated/ }).click();
      await expectAccessible(page);
      await screenshot(page, 'audit', theme);
      await page.getByRole('link', { name: 'What it changed' }).first().click();
      await page.getByRole('table', { name: 'Differences' }).waitFor();
      await expectAccessible(page);
      await screenshot(page, 'audit-record', theme);
      await page.setViewportSize({ width: 360, height: 800 });
      await expectNoSidewaysScroll(page);
      await page.getByRole('link', { name: 'Refused' }).click();
      await page.getByRole('heading', { name: 'Refused' }).waitFor();
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
      expect(errors).to.eql([]);
    });
});
