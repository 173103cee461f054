import { expect } from 'chai';
import type { Page } from 'playwright-core';
import {
  expectAccessible,
  openConsoleWorld,
  patienceMs,
  screenshot,
  signIn,
  skipWithoutBrowser,
  type ConsoleWorld,
  type OpenOptions,
} from './support/consoleWorld.js';

const minute = 60_000;

/** Minutes with all that a chart has to show: numbers, zeros, and what nobody knows. */
const minutesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    at: new Date(Math.floor(Date.now() / minute) * minute - (count - index) * minute).toISOString(),
    connections: index === 20 ? null : 1_200 + (index % 10),
    messagesIn: 900 + 10 * (index % 7),
    messagesOut: 5_400 + 100 * (index % 9),
    webhookCallsDelivered: 60,
    webhookCallsFailed: index % 30 === 0 ? 3 : 0,
    refusals: 0,
  }));

describe('the console, the overview', function () {
  this.timeout(3 * patienceMs);
  let world: ConsoleWorld;

  before(skipWithoutBrowser);
  before(async () => void (world = await openConsoleWorld()));
  after(() => world?.close());

  /** With minutes of which the test knows what they are; everything else is the service's. */
  const opened = async (options: OpenOptions = {}): Promise<Page> => {
    const { page } = await world.open(world.pathOf('overview'), options);
    await page.route('**/activity?*', async (route) => {
      const asked = new URL(route.request().url()).searchParams.get('minutes');
      await route.fulfill({ json: { data: minutesOf(Number(asked)) } });
    });
    await signIn(page, options.sessionToken ?? world.service.credentials.sessionToken);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    return page;
  };

  it('shows the last minute in numbers, and the last hours in charts and tables', async () => {
    const page = await opened();
    const figures = page.locator('.figures');
    await figures.getByText('1,209').waitFor();
    // Two failures of 3 in the hour.
    await figures.getByText('6', { exact: true }).waitFor();
    const chart = page.getByRole('figure', { name: 'Connections' });
    // A gap, not a fall to 0: the line begins a second time.
    expect((await chart.locator('.chart-line').getAttribute('d'))?.match(/M/g)).to.have.length(2);
    await chart.getByText('As a table').click();
    await chart.getByRole('cell', { name: 'unknown' }).waitFor();
    expect(await chart.getByRole('row').count()).to.equal(61);
    await page.getByRole('button', { name: 'Time' }).click();
    await page.getByRole('option', { name: 'The last 6 hours' }).click();
    await chart.getByRole('row').nth(360).waitFor();
    await page.context().close();
  });

  it('shows what is used of the plan, and what was refused', async () => {
    const project = await world.service.newProject({ maxConnections: 10, monthlyMessages: 100, maxApps: 1 });
    await project.client.post('/apps', { name: 'Only one' });
    const { page } = await world.open(`/console/o/${project.organizationId}/p/${project.projectId}/overview`);
    await signIn(page, world.service.credentials.sessionToken);
    const plan = page.getByRole('region', { name: 'Plan of' });
    const apps = plan.getByRole('meter', { name: 'Apps' });
    await apps.waitFor();
    expect(await apps.getAttribute('aria-valuetext')).to.equal('1 of 1');
    await plan.getByRole('meter', { name: 'Connections' }).waitFor();
    await page.getByRole('region', { name: 'Refused lately' }).getByText('Nothing on record').waitFor();
    await page.context().close();
  });

  it('says that it is not live while the service does not answer', async () => {
    const page = await opened();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.context().setOffline(true);
    await page.getByText('Not connected').waitFor();
    await page.context().setOffline(false);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.context().close();
  });

  for (const theme of ['light', 'dark'] as const)
    it(`is accessible, and fits on a phone, ${theme}`, async () => {
      const page = await opened({ theme });
      await page.getByRole('figure', { name: 'Refusals' }).waitFor();
      await page.getByText('Apps', { exact: true }).waitFor();
      await expectAccessible(page);
      await screenshot(page, 'overview', theme);
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).to.equal(360);
      await page.context().close();
    });
});
