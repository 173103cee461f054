import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import axe from 'axe-core';
import { expect } from 'chai';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { browserPath, openBrowser } from '../../support/browser.js';
import { startTestService, type TestService } from '../../support/testService.js';
import type { Config } from '../../../src/config/config.js';

/** A browser starts slowly on a machine that is busy. */
export const patienceMs = 60_000;

export type Theme = 'light' | 'dark';

export interface OpenedConsole {
  readonly page: Page;
  /** What the page threw, or wrote to its console as an error: violations of its policy, too. */
  readonly errors: readonly string[];
}

export interface ConsoleWorld {
  readonly service: TestService;
  /** Signed in with a session token, the operator's unless given, at a page of the project. */
  signedIn(at: string, options?: OpenOptions): Promise<OpenedConsole>;
  /** An address of the console, with nobody signed in. */
  open(path: string, options?: OpenOptions): Promise<OpenedConsole>;
  /** The path of a page of the first project. */
  pathOf(page: string): string;
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly theme?: Theme;
  readonly width?: number;
  readonly sessionToken?: string;
}

/** The started program and a browser. Pages of one world have nothing in common but the service. */
export const openConsoleWorld = async (
  overrides: Partial<Config> = {},
  seed?: (config: Config) => Promise<void>,
): Promise<ConsoleWorld> => {
  const service = await startTestService({ connectionRecord: true, ...overrides }, seed);
  const browser = await openBrowser();
  const { organizationId, projectId, sessionToken } = service.credentials;
  const pathOf = (page: string): string => `/console/o/${organizationId}/p/${projectId}/${page}`;

  const open = async (path: string, options: OpenOptions = {}): Promise<OpenedConsole> => {
    const context = await contextOf(browser, options);
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (line) => void (line.type() === 'error' && errors.push(line.text())));
    await page.goto(`${service.baseUrl}${path}`);
    return { page, errors };
  };

  return {
    service,
    pathOf,
    open,
    signedIn: async (at, options = {}) => {
      const opened = await open(pathOf(at), options);
      await signIn(opened.page, options.sessionToken ?? sessionToken);
      return opened;
    },
    close: async () => {
      await browser.close();
      await service.close();
    },
  };
};

const contextOf = async (
  browser: Browser,
  { theme = 'light', width = 1280 }: OpenOptions,
): Promise<BrowserContext> => {
  const context = await browser.newContext({
    colorScheme: theme,
    viewport: { width, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(patienceMs);
  return context;
};

export const signIn = async (page: Page, sessionToken: string): Promise<void> => {
  await page.getByLabel('Session token').fill(sessionToken);
  await page.getByRole('button', { name: 'Sign in with the token' }).click();
};

/** Fails with what axe finds that is serious or worse. Of the protocol, not of the page, so that its policy stays as it is. */
export const expectAccessible = async (page: Page): Promise<void> => {
  await page.evaluate(axe.source);
  // What fades in has less contrast until it is there.
  await page.evaluate('Promise.all(document.getAnimations().map(({ finished }) => finished))');
  const serious = await page.evaluate(async () => {
    const { axe: checker } = globalThis as unknown as { axe: typeof axe };
    const { violations } = await checker.run();
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' | ')}`);
  });
  expect(serious).to.eql([]);
};

const pictures = fileURLToPath(new URL('../../../../../docs/console/', import.meta.url));

/** Writes `docs/console/<name>-<theme>.png`, for whoever asks for it by `ROOMWIRE_CONSOLE_SCREENSHOTS=1`. */
export const screenshot = async (page: Page, name: string, theme: Theme): Promise<void> => {
  if (process.env['ROOMWIRE_CONSOLE_SCREENSHOTS'] !== '1') return;
  await mkdir(pictures, { recursive: true });
  // Whatever hovers, moves or blinks is none of the page.
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(pictures, `${name}-${theme}.png`), animations: 'disabled' });
};

/** Skips what needs a browser where there is none; continuous integration has one. */
export const skipWithoutBrowser = function (this: Mocha.Context): void {
  if (browserPath === undefined) this.skip();
};
