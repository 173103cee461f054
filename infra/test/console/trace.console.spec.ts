import { connect, type Client } from '@roomwire/sdk';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { done, sessionOf } from '../e2e/rest/contract/world.js';
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
import { makeSupportDesk, type SupportDesk } from './support/supportDesk.js';

const messageId = 'order-7';

describe('the console, trace and explain', function () {
  this.timeout(2 * patienceMs);
  before(skipWithoutBrowser);

  let world: ConsoleWorld;
  let desk: SupportDesk;
  let client: Client;

  before(async () => {
    world = await openConsoleWorld();
    const { project, socketUrl } = world.service;
    desk = await makeSupportDesk(project);
    client = connect({ url: socketUrl, token: desk.ada.accessToken });
    await client.subscribe(desk.address, () => undefined, { filters: ['us'] });
    done(await project.post('/publish', { topic: desk.address, id: messageId, data: 7, filters: ['eu'] }));
  });
  after(async () => {
    await client?.close();
    await world?.close();
  });

  /** Asks until what is asked for is on record, which takes a moment. */
  const answered = async (page: Page, who: string, outcome: string): Promise<string> => {
    const head = page.getByRole('article', { name: who }).getByRole('heading', { level: 3 });
    const isThere = async (): Promise<boolean> => {
      await head.waitFor();
      return (await head.innerText()).includes(outcome);
    };
    while (!(await isThere())) {
      const again = page.waitForResponse(/\/trace\?/);
      await page.getByRole('button', { name: 'Trace', exact: true }).click();
      await again;
    }
    return page.getByRole('article', { name: who }).innerText();
  };

  it('says why a message did not arrive, for all in the room, with the facts', async () => {
    const { page } = await world.signedIn('trace');
    await page.getByText('Which message?').waitFor();
    await page.getByRole('combobox', { name: 'Topic' }).fill(`${desk.room}/`);
    await page.getByRole('option', { name: 'chat' }).click();
    await page.getByLabel('Message id').fill(messageId);
    await page.keyboard.press('Enter');
    const text = await answered(page, 'Ada', 'filtered out');
    expect(text).to.include('us').and.include('eu');
    await page.getByRole('button', { name: /facts?: evidence/ }).click();
    await page.getByText(`It subscribed to ${desk.address}: only messages with us`).waitFor();
    expect(await page.getByLabel('The same question from a shell, curl').innerText()).to.include(messageId);
    await page.getByRole('tab', { name: 'CLI' }).click();
    expect(await page.getByLabel('The same question from a shell, CLI').innerText()).to.include(
      `npx roomwire trace ${desk.address} --message ${messageId}`,
    );
    await page.getByRole('link', { name: /^Connection of/ }).click();
    await page.getByRole('list', { name: 'What happened' }).waitFor();
  });

  it('says for one who was not there what they may do, and which change made it so', async () => {
    const { page } = await world.signedIn(`trace?topic=${desk.address}&messageId=${messageId}`);
    await page.getByRole('combobox', { name: 'Actor' }).fill('bo');
    await page.getByRole('option', { name: 'Bob' }).click();
    await page.getByRole('button', { name: 'Trace', exact: true }).click();
    await answered(page, 'Bob', 'not connected');
    await page.getByRole('link', { name: 'What it may do there' }).click();
    const answer = page.getByRole('region', { name: 'Answer' });
    expect(await answer.innerText())
      .to.include('Not allowed')
      .and.include('none for the actor');
    expect(new URL(page.url()).searchParams.get('at')).to.match(/Z$/);

    await page.getByRole('combobox', { name: 'Actor' }).fill(desk.ada.actorTokenId);
    await page.getByRole('button', { name: 'Explain', exact: true }).click();
    await answer.getByText('Allowed', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Room grant added' }).click();
    await page.getByRole('list', { name: 'Changes' }).getByText('Room grant added').waitFor();
  });

  it('says what would have become of a message at a time, where a topic keeps none', async () => {
    const { page } = await world.signedIn(`trace?topic=${desk.room}/news&messageId=x`);
    await page.getByText('This message is not known').waitFor();
    await page.getByRole('button', { name: /The message by/ }).click();
    await page.getByRole('option', { name: 'A time, without a message' }).click();
    await page.locator('input[name=at]').fill(new Date(Date.now() - 100).toISOString().slice(0, -1));
    await page.getByRole('combobox', { name: 'Actor' }).fill(desk.ada.actorTokenId);
    await page.getByRole('button', { name: 'Trace', exact: true }).click();
    await page.waitForURL((url) => url.searchParams.has('at') && !url.searchParams.has('messageId'));
    await answered(page, 'Ada', 'not subscribed');
  });

  it('says at the fields what is wrong, and what there is not', async () => {
    const { page } = await world.signedIn('trace');
    await page.getByRole('button', { name: 'Trace', exact: true }).click();
    await page.locator('.field-error').nth(1).waitFor();
    await page.getByRole('combobox', { name: 'Topic' }).fill(desk.address);
    await page.getByLabel('Message id').fill('nobody-sent-it');
    await page.keyboard.press('Enter');
    await page.getByText('This message is not known').waitFor();
    const actor = page.getByRole('combobox', { name: 'Actor' });
    await actor.fill('nobody');
    await page.getByRole('button', { name: 'Trace', exact: true }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: /not found/i })
      .waitFor();
    const { organizationId } = await world.service.newProject();
    const other = await world.signedIn('trace', { sessionToken: await sessionOf(organizationId) });
    await other.page.getByText('This project is not here').waitFor();
  });

  it('keeps the answer while there is no connection', async () => {
    const { page } = await world.signedIn(`trace?topic=${desk.address}&messageId=${messageId}`);
    await answered(page, 'Ada', 'filtered out');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Trace', exact: true }).click();
    await page
      .getByText(/does not answer/)
      .first()
      .waitFor();
    expect(await page.getByRole('article', { name: 'Ada' }).innerText()).to.include('filtered out');
    await page.context().setOffline(false);
    await page.getByText(/does not answer/).waitFor({ state: 'detached' });
  });

  for (const theme of ['light', 'dark'] as readonly Theme[])
    it(`is accessible and fits a phone, ${theme}`, async () => {
      const at = `trace?topic=${desk.address}&messageId=${messageId}`;
      const { page, errors } = await world.signedIn(at, { theme });
      await answered(page, 'Ada', 'filtered out');
      await page.getByRole('button', { name: /facts?: evidence/ }).click();
      await expectAccessible(page);
      await screenshot(page, 'trace', theme);
      await page.setViewportSize({ width: 360, height: 800 });
      await expectNoSidewaysScroll(page);
      await page.getByRole('link', { name: 'What it may do there' }).click();
      await page.getByRole('region', { name: 'Answer' }).waitFor();
      await expectNoSidewaysScroll(page);
      await page.setViewportSize({ width: 1280, height: 900 });
      await expectAccessible(page);
      await screenshot(page, 'explain', theme);
      expect(errors).to.eql([]);
    });
});
