import { expect } from 'chai';
import { connect } from '@roomwire/sdk';
import type { Page } from 'playwright-core';
import { done } from '../e2e/rest/contract/world.js';
import {
  expectAccessible,
  openConsoleWorld,
  patienceMs,
  screenshot,
  skipWithoutBrowser,
  type ConsoleWorld,
} from './support/consoleWorld.js';
import { expectNoSidewaysScroll } from './support/fits.js';

describe('the console, actors, scopes and keys', function () {
  this.timeout(3 * patienceMs);
  let world: ConsoleWorld;

  before(skipWithoutBrowser);
  before(async () => void (world = await openConsoleWorld()));
  after(() => world?.close());

  /** Of the dialog that shows it once, which is closed then. */
  const takeSecret = async (page: Page): Promise<string> => {
    const secret = await page.getByRole('alertdialog').locator('.secret-value code').textContent();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    return secret ?? '';
  };

  it('makes an actor whose token connects, shows the token once, and disables it', async () => {
    const { page, errors } = await world.signedIn('actors');
    await page.getByRole('button', { name: 'New actor' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Ada');
    await page.getByRole('button', { name: 'Make the actor' }).click();
    const token = await takeSecret(page);
    expect(await page.content()).not.to.include(token);
    const client = connect({ url: world.service.socketUrl, token, reconnect: false });
    const closed = new Promise((resolve) =>
      client.on('state', ({ name }) => name === 'closed' && resolve(name)),
    );
    const { actorTokenId } = await client.ready();
    await page.getByRole('link', { name: 'Ada' }).click();
    await page.getByText(actorTokenId).waitFor();
    await page.getByRole('button', { name: 'Disable…' }).click();
    await page.getByRole('button', { name: 'Disable it' }).click();
    await page.getByText('disabled', { exact: true }).waitFor();
    await closed;
    expect(errors).to.eql([]);
    await page.context().close();
  });

  it('shows a name that is one long word without a sideways scroll', async () => {
    const name = 'X'.repeat(100);
    const { actorTokenId } = done(await world.service.project.post('/actors', { name, actorType: 'device' }));
    const { page } = await world.signedIn(`actors/${actorTokenId}`);
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 900 });
      await page.getByRole('heading', { name }).waitFor();
      await expectNoSidewaysScroll(page);
    }
    await page.context().close();
  });

  it('says whose connections end before it disables or deletes an actor', async () => {
    const { project, socketUrl } = world.service;
    const { slug, appId } = (await project.post('/apps', { name: 'Cut off', topics: ['chat'] })).body;
    await project.post(`/apps/${appId}/rooms`, { name: 'Lobby' });
    const { accessToken, actorTokenId } = (await project.post('/actors', { name: 'Bea', actorType: 'user' }))
      .body;
    const client = connect({ url: socketUrl, token: accessToken, reconnect: false });
    try {
      await client.subscribe(`${slug}/lobby/chat`, () => undefined);
      const { page } = await world.signedIn(`actors/${actorTokenId}`);
      for (const name of ['Delete…', 'Disable…']) {
        await page.getByRole('button', { name }).click();
        await page.getByText('This would close 1 connection and end 1 subscription now').waitFor();
        await page.getByText(`${slug}/lobby/chat`).waitFor();
        await expectAccessible(page);
        if (name === 'Delete…') await page.getByRole('button', { name: 'Cancel' }).click();
      }
      await page.getByRole('button', { name: 'Disable it' }).click();
      await page.getByText('disabled', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Delete…' }).click();
      await page.getByText('its grants go with it').waitFor();
      expect(await page.getByText('This would').count()).to.equal(0);
      await page.context().close();
    } finally {
      await client.close();
    }
  });

  it('makes a scope, and says that its slug is taken', async () => {
    const { page } = await world.signedIn('scopes');
    for (const outcome of ['is made', 'taken']) {
      await page.getByRole('button', { name: 'New scope' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Tenant north');
      await page.getByRole('textbox', { name: 'Slug' }).fill('north');
      await page.getByRole('button', { name: 'Make the scope' }).click();
      if (outcome === 'is made') await page.getByText('Tenant north is made').waitFor();
      else await page.getByRole('alert').waitFor();
    }
    await page.context().close();
  });

  it('makes a signing key, rotates and disables it', async () => {
    const { page } = await world.signedIn('keys');
    await page.getByRole('button', { name: 'New signing key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Web');
    await page.getByRole('button', { name: 'Make the key' }).click();
    expect(await takeSecret(page)).to.match(/^sk_live_\w+\.\S+$/);
    await page.getByRole('button', { name: 'Rotate Web' }).click();
    await page.getByRole('button', { name: 'Make the key' }).click();
    expect(await takeSecret(page)).to.match(/^sk_live_/);
    await page.getByRole('button', { name: 'Disable Web', exact: true }).click();
    await page.getByRole('button', { name: 'Disable it' }).click();
    await page.getByRole('button', { name: 'Enable Web' }).waitFor();
    const { body } = await world.service.project.get('/signing-keys');
    const keys = body.data as readonly { readonly status: string }[];
    expect(keys.map(({ status }) => status)).to.have.members(['active', 'disabled']);
    await page.context().close();
  });

  it('makes an API key that opens what was asked for, and says which permission there is not', async () => {
    const { page } = await world.signedIn('keys');
    await page.getByRole('tab', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'New API key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Publisher');
    await page.getByRole('textbox', { name: 'Permissions' }).fill('publish:write, nothing:read');
    await page.getByRole('button', { name: 'Make the key' }).click();
    await page.locator('input[name=permissions][aria-invalid=true]').waitFor();
    await page.getByRole('textbox', { name: 'Permissions' }).fill('publish:write');
    await page.getByRole('button', { name: 'Make the key' }).click();
    const key = await takeSecret(page);
    expect((await world.service.client(key).get('/apps')).status).to.equal(403);
    await page.getByRole('button', { name: 'Revoke Publisher' }).click();
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await page.getByRole('button', { name: 'Revoke Publisher' }).waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('says of a token what it is, and why it is refused', async () => {
    const { project, credentials } = world.service;
    const { body } = await project.post('/actors', { name: 'Tested', actorType: 'user' });
    const { accessToken, actorTokenId } = body as { accessToken: string; actorTokenId: string };
    const { page } = await world.signedIn('keys');
    await page.getByRole('tab', { name: 'Test a token' }).click();
    const test = async (token: string): Promise<void> => {
      await page.getByRole('textbox', { name: 'Token' }).fill(token);
      await page.getByRole('button', { name: 'Test it' }).click();
    };
    await test(accessToken);
    await page.getByText(`The gateway accepts it, as the actor ${actorTokenId}`).waitFor();
    await test(`${accessToken.slice(0, -4)}xxxx`);
    await page.getByText('The gateway says access_denied').waitFor();
    await test(credentials.apiKey);
    await page.getByText('This is an API key').waitFor();
    await test('eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.x');
    await page.getByText('Its algorithm (alg) is none').waitFor();
    await expectAccessible(page);
    await page.context().close();
  });

  for (const theme of ['light', 'dark'] as const)
    it(`is accessible, ${theme}`, async () => {
      const { project } = world.service;
      await project.post('/actors', { name: `Seen ${theme}`, actorType: 'user' });
      await project.post('/scopes', { name: `Seen ${theme}`, slug: `seen-${theme}` });
      await project.post('/signing-keys', { name: `Seen ${theme}` });
      const { page } = await world.signedIn('actors', { theme });
      for (const name of ['Actors', 'Scopes', 'Keys']) {
        await page.getByRole('navigation').getByRole('link', { name }).click();
        await page.getByRole('table').waitFor();
        await expectAccessible(page);
        await screenshot(page, name.toLowerCase(), theme);
      }
      await page.context().close();
    });
});
