import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { reactions, WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { actorOf, appWithRoom } from '../support/hookedApp.js';
import { projectWithCircuits, type ProjectWithCircuits } from '../support/openCircuits.js';
import {
  expectAccessible,
  openConsoleWorld,
  patienceMs,
  screenshot,
  signIn,
  skipWithoutBrowser,
  type ConsoleWorld,
} from './support/consoleWorld.js';

const { answer } = reactions;
const circuitUrl = 'https://nobody.example/hook';

describe('the webhooks of the console', function () {
  this.timeout(3 * patienceMs);
  let world: ConsoleWorld;
  let endpoint: WebhookEndpoint;
  let waiting: ProjectWithCircuits;
  let publish: (data: unknown) => Promise<unknown>;

  before(skipWithoutBrowser);
  before(async () => {
    endpoint = await WebhookEndpoint.open();
    waiting = projectWithCircuits([circuitUrl]);
    // As an operator has it who starts the service on a machine of their own.
    world = await openConsoleWorld({ webhookAllowPrivate: true }, waiting.seed);
    const { project } = world.service;
    const { topic } = await appWithRoom(project, { triggerWebhook: { url: endpoint.url } });
    const { actorTokenId } = await actorOf(project);
    publish = (data) => project.post('/publish', { topic, data, as: actorTokenId });
  });
  after(async () => {
    await world?.close();
    await endpoint?.close();
  });

  /** A call that the endpoint refuses is a dead letter at once. */
  const refused = async (data: unknown): Promise<void> => {
    const { operator, credentials } = world.service;
    const list = `/organizations/${credentials.organizationId}/webhook-dlq`;
    const count = async () => (await operator.get(list)).body.pagination.total as number;
    const before = await count();
    endpoint.reaction = answer(422);
    await publish(data);
    await eventually(async () => (await count()) > before, {
      what: 'the dead letter',
      withinMs: patienceMs / 2,
    });
  };

  it('shows each attempt as it ends, and only failures where one asks for them', async () => {
    const { page, errors } = await world.signedIn('webhooks');
    await page.locator('.live-badge', { hasText: 'Live' }).waitFor();
    endpoint.reaction = answer(204);
    await publish('fine');
    await page.getByRole('row', { name: /trigger, attempt 1 .* 204/ }).waitFor();
    await page.getByText('Only failures').click();
    await page.locator('.live-badge', { hasText: 'Live' }).waitFor();
    endpoint.reaction = answer(422);
    await publish('refused');
    await page.getByRole('row', { name: /trigger, attempt 1 .* 422/ }).waitFor();
    expect(await page.getByRole('row').count()).to.equal(2);
    await page.getByRole('link', { name: 'dead letter' }).click();
    await page.getByRole('heading', { name: 'Dead letter refused' }).waitFor();
    expect(errors).to.eql([]);
  });

  it('shows what was sent, and redrives one, with what came of it', async () => {
    await refused({ order: 4711 });
    const { page } = await world.signedIn('webhooks/dead-letters');
    await page
      .getByRole('row', { name: /Trigger .* refused/ })
      .first()
      .getByRole('link')
      .click();
    await page.getByText('4711').waitFor();
    await page.getByRole('button', { name: 'Redrive' }).click();
    await page.getByText('It was tried again, and not delivered').waitFor();
    endpoint.reaction = answer(204);
    await page.getByRole('button', { name: 'Redrive' }).click();
    await page.getByText('Delivered: it is no dead letter any more').waitFor();
  });

  it('counts several before it redrives them', async () => {
    await refused('one');
    await refused('two');
    const { page } = await world.signedIn('webhooks/dead-letters');
    await page.getByRole('button', { name: 'Redrive several' }).click();
    await page.getByLabel('At most').fill('2');
    await page.getByRole('button', { name: 'Count them first' }).click();
    await page.getByText('2 match. Nothing was done yet.').waitFor();
    endpoint.reaction = answer(204);
    const before = endpoint.received.length;
    await page.getByRole('button', { name: 'Redrive 2' }).click();
    await page.getByText('2 are tried again').waitFor();
    await eventually(() => endpoint.received.length === before + 2, { withinMs: patienceMs / 2 });
  });

  it('gives up and deletes only after a question', async () => {
    await refused('to be given up');
    const { page } = await world.signedIn('webhooks/dead-letters');
    await page
      .getByRole('row', { name: /Trigger .* refused/ })
      .first()
      .getByRole('link')
      .click();
    await page.getByRole('button', { name: 'Give up' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Give it up' }).click();
    await page.getByText('given up', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Redrive' }).isDisabled()).to.equal(true);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete it' }).click();
    await page.getByText('Deleted', { exact: true }).waitFor();
  });

  it('lists open circuits and closes them', async () => {
    const { organizationId, projectId } = waiting;
    const { page } = await world.open(`/console/o/${organizationId}/p/${projectId}/webhooks/circuits`);
    await signIn(page, world.service.credentials.sessionToken);
    await page.getByRole('row', { name: /nobody\.example/ }).waitFor();
    await page.getByRole('button', { name: `Close the circuit of ${circuitUrl}` }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Close it' }).click();
    await page.getByText('No circuit is open').waitFor();
  });

  it('makes a secret, shows it once, and rotates it', async () => {
    const { page } = await world.signedIn('webhooks/secrets');
    await page.getByRole('button', { name: 'New secret' }).click();
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('Of this year');
    await page.getByRole('button', { name: 'Make the secret' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    expect(await page.getByText(/^whsec_/).count()).to.equal(0);
    await page.getByRole('button', { name: 'Rotate' }).click();
    await name.fill('Of next year');
    await page.getByRole('button', { name: 'Make the secret' }).click();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('button', { name: 'Delete Of this year' }).click();
    await page.getByRole('button', { name: 'Delete the secret' }).click();
    await page.getByRole('row', { name: /Of this year/ }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /Of next year/ }).waitFor();
  });

  it('says that the connection is lost, and goes on by itself', async () => {
    const { page } = await world.signedIn('webhooks');
    await page.locator('.live-badge', { hasText: 'Live' }).waitFor();
    await page.context().setOffline(true);
    await page.locator('.live-badge', { hasText: 'Not connected' }).waitFor();
    await page.context().setOffline(false);
    await page.locator('.live-badge', { hasText: 'Live' }).waitFor();
  });

  for (const theme of ['light', 'dark'] as const)
    it(`can be used by everybody, ${theme}`, async () => {
      await refused({ order: { number: 4711, lines: ['tea', 'rice'] } });
      const { page } = await world.signedIn('webhooks', { theme });
      await page.locator('.live-badge', { hasText: 'Live' }).waitFor();
      endpoint.reaction = answer(204);
      await publish('fine');
      await publish('fine');
      await page.getByRole('row', { name: /204/ }).nth(1).waitFor();
      await expectAccessible(page);
      await screenshot(page, 'webhooks', theme);
      await page.getByRole('tab', { name: 'Dead letters' }).click();
      await page
        .getByRole('row', { name: /Trigger .* refused/ })
        .first()
        .getByRole('link')
        .click();
      await page.getByText('4711').waitFor();
      await expectAccessible(page);
      await screenshot(page, 'dead-letter', theme);
    });

  it('can be read on a phone', async () => {
    const { page } = await world.signedIn('webhooks/dead-letters', { width: 360 });
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    await page.getByRole('tab', { name: 'Secrets' }).click();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).to.equal(360);
  });
});
