import { connect, type Client } from '@roomwire/sdk';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { reactions, WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import {
  openConsoleWorld,
  patienceMs,
  signIn,
  skipWithoutBrowser,
  type ConsoleWorld,
} from './support/consoleWorld.js';

const { answer } = reactions;

/** What somebody does who has just started it, by what the pages say alone. */
describe('a tour of the console', function () {
  this.timeout(6 * patienceMs);
  let world: ConsoleWorld;
  let backend: WebhookEndpoint;
  let page: Page;
  let ann: Client | undefined;
  let address: string;

  before(skipWithoutBrowser);
  before(async () => {
    backend = await WebhookEndpoint.open(answer(422));
    world = await openConsoleWorld({ webhookAllowPrivate: true });
    ({ page } = await world.open('/console'));
  });
  after(async () => {
    await ann?.close();
    await world?.close();
    await backend?.close();
  });

  const menu = (title: string): Promise<void> =>
    page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: title }).click();

  it('makes an app, sees a message, finds out why one did not arrive, redrives a dead letter and sees who changed what', async () => {
    await signIn(page, world.service.credentials.sessionToken);

    // Start, make an app, watch a message.
    await page.getByRole('heading', { name: 'First steps', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Make them' }).click();
    address = await page
      .getByText(/^[\w-]+\/lobby\/chat$/)
      .first()
      .innerText();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByRole('list', { name: 'Messages that came' }).getByText('Hello').waitFor();

    // A client of one's own, which wants other messages than those that come.
    await page.getByRole('button', { name: 'Make an actor' }).click();
    const token = await page.getByText(/^at_live_/).innerText();
    ann = connect({ url: world.service.socketUrl, token });
    await ann.subscribe(address, () => undefined, { filters: ['eu'] });
    await page.locator('.steps-next').getByRole('link', { name: 'live room' }).click();
    await page.locator('.live-badge', { hasText: 'Live' }).waitFor();
    await page.getByRole('textbox', { name: 'Data' }).fill('"for the others"');
    await page.getByRole('textbox', { name: 'Filter', exact: false }).last().fill('us');
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByRole('option', { name: /for the others/ }).click();

    // Why did Ann not get it?
    await page.getByRole('link', { name: 'Who got it, and who did not' }).click();
    const article = page.getByRole('article').filter({ hasText: 'Ann' });
    await article
      .or(page.getByRole('button', { name: 'Trace', exact: true }))
      .first()
      .waitFor();
    if (!(await article.isVisible())) await page.getByRole('button', { name: 'Trace', exact: true }).click();
    await article
      .getByText(/filtered out/i)
      .first()
      .waitFor();

    // A webhook that refuses, until it is mended.
    await menu('Apps and rooms');
    await page.getByRole('link', { name: 'My first app' }).click();
    await page
      .locator('summary', { hasText: /trigger/i })
      .first()
      .click();
    await page.locator('input[name="triggerWebhook.url"]').fill(backend.url);
    await page.getByRole('button', { name: 'Save the configuration' }).click();
    await page.getByText('The configuration is saved').waitFor();
    await menu('Webhooks');
    await page.locator('.live-badge', { hasText: 'Live' }).waitFor();
    await ann.publish(address, { order: 4711 });
    await page.getByRole('link', { name: 'dead letter' }).click();
    await page.getByText('4711').first().waitFor();
    backend.reaction = answer(204);
    await page.getByRole('button', { name: 'Redrive' }).click();
    await page.getByText('Delivered: it is no dead letter any more').waitFor();

    // Who changed the app?
    await menu('Audit');
    const changes = page.getByRole('list', { name: 'Changes' }).getByRole('listitem');
    const changed = changes.filter({ hasText: 'App updated' }).first();
    await changed.waitFor();
    expect(await changed.innerText()).to.include('operator');
  });
});
