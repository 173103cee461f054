import { expect } from 'chai';
import { connect } from '@roomwire/sdk';
import {
  expectAccessible,
  openConsoleWorld,
  patienceMs,
  screenshot,
  skipWithoutBrowser,
  type ConsoleWorld,
} from './support/consoleWorld.js';
import { joinAsActor } from '../support/hookedApp.js';
import { mintSession } from './support/sessions.js';

describe('the console, apps and rooms', function () {
  this.timeout(3 * patienceMs);
  let world: ConsoleWorld;

  before(skipWithoutBrowser);
  before(async () => void (world = await openConsoleWorld()));
  after(() => world?.close());

  const makeApp = async (name: string) => {
    const { project } = world.service;
    const app = (await project.post('/apps', { name, topics: ['chat'] })).body;
    const room = (await project.post(`/apps/${app.appId}/rooms`, { name: 'Lobby' })).body;
    return { app, room, address: `${app.slug}/${room.slug}/chat` };
  };

  it('leads from an empty project to a room, and says what is wrong on the way', async () => {
    const { page, errors } = await world.signedIn('rooms');
    await page.getByText('No app yet').waitFor();
    await page.getByRole('button', { name: 'New app' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Support desk');
    await page.getByRole('textbox', { name: 'Slug' }).fill('Not A Slug');
    await page.getByRole('button', { name: 'Make the app' }).click();
    await page.locator('input[name=slug][aria-invalid=true]').waitFor();
    await page.getByRole('textbox', { name: 'Slug' }).fill('');
    await page.getByRole('textbox', { name: 'Topics' }).fill('chat, events');
    await page.getByRole('button', { name: 'Make the app' }).click();
    await page.getByRole('heading', { name: 'Support desk' }).waitFor();
    await page.getByRole('button', { name: 'New room' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Lobby');
    await page.getByRole('button', { name: 'Make the room' }).click();
    await page.getByRole('link', { name: 'Lobby' }).click();
    await page.getByText('The room is open').waitFor();
    await page.getByText(/^support-desk-\w+\/lobby\/chat$/).waitFor();
    // The refused slug is no defect of the page.
    expect(errors.filter((line) => !line.includes('400'))).to.eql([]);
    await page.context().close();
  });

  it('keeps the history of a topic as one says, and shows what the service refuses at its field', async () => {
    const { app } = await makeApp('Histories');
    const { page } = await world.signedIn(`rooms/${app.appId}`);
    await page.getByRole('button', { name: 'Settings of chat' }).click();
    await page.getByText('Keep a history').click();
    await page.getByLabel('Messages at most').fill('100000000');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('input[aria-invalid=true]').waitFor();
    await page.getByLabel('Messages at most').fill('50');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('50 messages, 1 day').waitFor();
    const { body } = await world.service.project.get(`/apps/${app.appId}`);
    expect(body.topicConfigs.chat.history).to.eql({ messages: 50 });
    await page.context().close();
  });

  it('saves what was changed, and nothing over what others have changed meanwhile', async () => {
    const { app } = await makeApp('Shared');
    const path = `/apps/${app.appId}`;
    const { project } = world.service;
    const topicConfigs = async () => (await project.get(path)).body.topicConfigs;
    const chat = { logging: { enabled: true, replayEnabled: false, maxReplayMessages: 50 } };
    await project.patch(path, { topics: ['chat', 'orders'], topicConfigs: { chat } });
    const { page } = await world.signedIn(`rooms/${app.appId}`);
    const save = page.getByRole('button', { name: 'Save', exact: true });
    const messages = page.getByLabel('Messages at most');

    await page.getByRole('button', { name: 'Settings of chat' }).click();
    await page.getByText('Keep a history').click();
    await messages.fill('5');
    await project.patch(path, { topicConfigs: { chat, orders: { history: { messages: 6 } } } });
    await save.click();
    await page.getByText('chat is changed').waitFor();
    const saved = { ...chat, history: { messages: 5 } };
    expect(await topicConfigs()).to.eql({ chat: saved, orders: { history: { messages: 6 } } });

    await page.getByRole('button', { name: 'Settings of orders' }).click();
    await messages.fill('60');
    await project.patch(path, { topicConfigs: { chat: saved, orders: { history: { messages: 7 } } } });
    await save.click();
    await page.getByRole('alert').getByText('Somebody else has changed this meanwhile').waitFor();
    expect(await messages.inputValue()).to.equal('7');
    await messages.fill('70');
    await save.click();
    await page.getByText('orders is changed').waitFor();
    expect(await topicConfigs()).to.eql({ chat: saved, orders: { history: { messages: 70 } } });
    await page.context().close();
  });

  it('changes the configuration, and says where JSON is none', async () => {
    const { app } = await makeApp('Configured');
    const { page } = await world.signedIn(`rooms/${app.appId}`);
    await page.getByText('Make rooms when somebody subscribes').click();
    await page.getByText('Trigger webhook: told of each publish').click();
    await page.locator('input[name="triggerWebhook.url"]').fill('https://example.com/hook');
    await page.locator('textarea[name="triggerWebhook.headers"]').fill('{ nonsense');
    await page.getByRole('button', { name: 'Save the configuration' }).click();
    await page.getByText('This is not JSON').first().waitFor();
    await page.locator('textarea[name="triggerWebhook.headers"]').fill('{ "x-key": "1" }');
    await page.getByRole('button', { name: 'Save the configuration' }).click();
    await page.getByText('The configuration is saved').waitFor();
    const { body } = await world.service.project.get(`/apps/${app.appId}`);
    expect(body.config.autoProvisionRooms).to.equal(true);
    expect(body.triggerWebhook).to.include({ url: 'https://example.com/hook' });
    await page.context().close();
  });

  it('says before a grant is made whom it cuts off, and makes it only then', async () => {
    const { app, room, address } = await makeApp('Guarded');
    const { service } = world;
    const listener = (await service.project.post('/actors', { name: 'Listener', actorType: 'user' })).body;
    await service.project.post('/actors', { name: 'Chosen one', actorType: 'user' });
    const client = connect({ url: service.socketUrl, token: listener.accessToken });
    try {
      await client.subscribe(address, () => undefined);
      const { page } = await world.signedIn(`rooms/${app.appId}/${room.roomId}`);
      await page.getByRole('button', { name: 'New grant' }).click();
      await page.getByRole('combobox', { name: 'Actor' }).fill('Chosen');
      await page.getByRole('option', { name: 'Chosen one' }).click();
      await page.getByRole('button', { name: 'Make the grant' }).click();
      await page.getByText('This would end 1 subscription now').waitFor();
      await page.getByText('Listener').waitFor();
      await expectAccessible(page);
      await screenshot(page, 'impact', 'light');
      const grants = () => service.project.get(`/apps/${app.appId}/rooms/${room.roomId}/actors`);
      expect((await grants()).body).to.eql([]);
      await page.getByRole('alertdialog').getByRole('button', { name: 'Make it' }).click();
      await page.getByRole('cell', { name: 'Chosen one' }).waitFor();
      expect((await grants()).body).to.have.length(1);
      await page.context().close();
    } finally {
      await client.close();
    }
  });

  it('says whom it cuts off before it deletes an app', async () => {
    const { app, address } = await makeApp('Doomed');
    const { client } = await joinAsActor(world.service, { name: 'Last listener' });
    try {
      await client.subscribe(address, () => undefined);
      const { page } = await world.signedIn(`rooms/${app.appId}`);
      await page.getByRole('button', { name: 'Delete…' }).click();
      await page.getByText('This would end 1 subscription now').waitFor();
      await page.getByText('Last listener').waitFor();
      await page.context().close();
    } finally {
      await client.close();
    }
  });

  it('deletes a room once its slug is typed', async () => {
    const { app, room } = await makeApp('Deleted');
    const { page } = await world.signedIn(`rooms/${app.appId}/${room.roomId}`);
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByLabel('Type lobby to confirm').fill('other');
    await page.getByRole('button', { name: 'Delete the room' }).click();
    await page.getByText('Type lobby', { exact: true }).waitFor();
    await page.getByLabel('Type lobby to confirm').fill('lobby');
    await page.getByRole('button', { name: 'Delete the room' }).click();
    await page.getByText('No room yet').waitFor();
    expect((await world.service.project.get(`/apps/${app.appId}/rooms`)).body).to.eql([]);
    await page.context().close();
  });

  it('shows viewers everything, and nothing to change it with', async () => {
    const { app } = await makeApp('Viewed');
    const sessionToken = await mintSession(world.service.credentials.organizationId, 'vera', 'viewer');
    const { page } = await world.signedIn(`rooms/${app.appId}`, { sessionToken });
    await page.getByRole('link', { name: 'Lobby' }).waitFor();
    for (const name of ['New room', 'New topic', 'Disable', 'Delete…', 'Save the configuration'])
      expect(await page.getByRole('button', { name }).count(), name).to.equal(0);
    await page.context().close();
  });

  it('knows when an app is gone', async () => {
    const { page } = await world.signedIn('rooms/00000000-0000-4000-8000-000000000000');
    await page.getByRole('heading', { name: 'There is no such app' }).waitFor();
    await page.context().close();
  });

  for (const theme of ['light', 'dark'] as const)
    it(`is accessible, and fits on a phone, ${theme}`, async () => {
      const { room } = await makeApp(`Looks ${theme}`);
      const { page } = await world.signedIn('rooms', { theme });
      await page.getByRole('link', { name: `Looks ${theme}` }).waitFor();
      await expectAccessible(page);
      await screenshot(page, 'rooms', theme);
      await page.getByRole('link', { name: `Looks ${theme}` }).click();
      await page.getByRole('link', { name: 'Lobby' }).waitFor();
      await expectAccessible(page);
      await screenshot(page, 'app', theme);
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).to.equal(360);
      await page.getByRole('link', { name: 'Lobby' }).click();
      await page.getByText(room.roomId).waitFor();
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).to.equal(360);
      await expectAccessible(page);
      await screenshot(page, 'room-phone', theme);
      await page.context().close();
    });
});
