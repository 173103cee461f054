import { expect } from 'chai';
import { readConfig } from '../../src/config/config.js';
import {
  expectAccessible,
  openConsoleWorld,
  patienceMs,
  screenshot,
  signIn,
  skipWithoutBrowser,
  type ConsoleWorld,
} from './support/consoleWorld.js';
import { settingsFor, startIssuer, type Issuer } from './support/issuer.js';
import { mintCode, mintSession } from './support/sessions.js';

describe('the console, signing in', function () {
  this.timeout(3 * patienceMs);
  let world: ConsoleWorld;
  let organizationId: string;

  before(skipWithoutBrowser);
  before(async () => {
    world = await openConsoleWorld();
    ({ organizationId } = world.service.credentials);
  });
  after(() => world?.close());

  for (const theme of ['light', 'dark'] as const)
    it(`shows the ways to sign in, ${theme}`, async () => {
      const { page, errors } = await world.open('/console', { theme });
      await page.getByRole('heading', { name: 'Sign in to the console' }).waitFor();
      await page.getByLabel('Session token').waitFor();
      await expectAccessible(page);
      await screenshot(page, 'sign-in', theme);
      expect(errors).to.eql([]);
      await page.context().close();
    });

  it('takes a session token, keeps it in no storage, and forgets it with the page', async () => {
    const { page, errors } = await world.signedIn('actors');
    await page.getByRole('heading', { name: 'Actors' }).waitFor();
    const kept = await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
    expect(kept).to.equal('[{},{}]');
    expect(await page.context().cookies()).to.eql([]);
    expect(errors).to.eql([]);
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in to the console' }).waitFor();
    await page.context().close();
  });

  it('says at its field, and there alone, that a token is refused', async () => {
    const { page } = await world.open('/console');
    await signIn(page, 'not-a-session');
    const field = page.getByLabel('Session token');
    await page.locator('[aria-invalid=true]').waitFor();
    expect(await field.getAttribute('aria-invalid')).to.equal('true');
    expect(await page.locator('.problem').count()).to.equal(0);
    await page.context().close();
  });

  it('signs in by the printed link, once, and takes its code out of the address', async () => {
    const code = mintCode(organizationId, 'ada');
    const { page } = await world.open(`/console#code=${code}`);
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    expect(page.url()).not.to.include('code');
    await page.context().close();
    const again = await world.open(`/console#code=${code}`);
    await again.page.getByText('This link was used before').waitFor();
    expect(again.page.url()).not.to.include('code');
    await again.page
      .getByLabel('One-time code')
      .fill(`http://x/console#code=${mintCode(organizationId, 'ada')}`);
    await again.page.getByRole('button', { name: 'Sign in with the code' }).click();
    await again.page.getByRole('heading', { name: 'First steps' }).waitFor();
    await again.page.context().close();
  });

  it('asks again when the session ends, and goes on where one was', async () => {
    const { page } = await world.signedIn('actors', {
      sessionToken: await mintSession(organizationId, 'eve'),
    });
    await page.getByRole('heading', { name: 'Actors' }).waitFor();
    await world.service.operator.post(`/organizations/${organizationId}/session-revocations`, {
      subject: 'eve',
    });
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByText('Your session has ended').waitFor();
    await signIn(page, world.service.credentials.sessionToken);
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    await page.context().close();
  });

  it('knows no project of another organization', async () => {
    const other = await world.service.newProject();
    const sessionToken = await mintSession(other.organizationId, 'mallory');
    const { page } = await world.signedIn('rooms', { sessionToken });
    await page.getByRole('heading', { name: 'This project is not here' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Your projects' }).click();
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    expect(page.url()).to.include(other.projectId);
    await page.context().close();
  });

  it('signs out', async () => {
    const { page } = await world.signedIn('rooms');
    await page.getByRole('button', { name: 'Account and appearance' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByText('You have signed out').waitFor();
    await page.context().close();
  });
});

describe('the console, signing in with an OIDC issuer', function () {
  this.timeout(3 * patienceMs);
  let world: ConsoleWorld;
  let issuer: Issuer;

  before(skipWithoutBrowser);
  before(async () => {
    issuer = await startIssuer();
    const { oidc, consoleOidc } = readConfig(settingsFor(issuer));
    world = await openConsoleWorld({ oidc, consoleOidc });
  });
  after(async () => {
    await world?.close();
    issuer?.close();
  });

  const button = (): string => `Sign in with ${new URL(issuer.url).host}`;

  it('goes there and back to where one was', async () => {
    issuer.claims = { orgs: [world.service.credentials.organizationId] };
    const { page, errors } = await world.open(world.pathOf('keys'));
    await page.getByRole('button', { name: button() }).click();
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    expect(new URL(page.url()).pathname).to.equal(world.pathOf('keys'));
    expect(new URL(page.url()).search).to.equal('');
    expect(await page.evaluate<number>('sessionStorage.length')).to.equal(0);
    expect(errors).to.eql([]);
    await page.context().close();
  });

  it('says that the issuer refuses', async () => {
    issuer.claims = undefined;
    const { page } = await world.open('/console');
    await page.getByRole('button', { name: button() }).click();
    await page.getByText('The sign-in service refused: access_denied').waitFor();
    await page.context().close();
  });

  it('takes nothing that it did not ask for', async () => {
    const { page } = await world.open('/console?code=stolen&state=other');
    await page.getByText('This sign-in was not begun here').waitFor();
    expect(page.url()).not.to.include('stolen');
    await page.context().close();
  });
});
