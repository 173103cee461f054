import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome'];
const folders = (process.env['PATH'] ?? '').split(delimiter);

/** The browser of this machine, if it has one; nothing is downloaded. */
export const browserPath = folders
  .flatMap((folder) => names.map((name) => join(folder, name)))
  .find((path) => existsSync(path));

/** It asks nobody for anything but the pages that a test opens. */
const quietly = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

export const openBrowser = async (): Promise<Browser> => {
  if (browserPath === undefined) throw new Error('There is no browser on the PATH');
  return chromium.launch({ executablePath: browserPath, headless: true, args: quietly });
};
