import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { openBrowser } from '../support/browser.js';

export interface OpenPage {
  readonly page: Page;
  /** What the page threw, or wrote to its console as an error. */
  readonly errors: readonly string[];
  /** The frames that it has sent on its sockets. */
  readonly sent: readonly Buffer[];
  close(): Promise<void>;
}

/** A server of these paths alone, whose `/` is open in a browser. */
export const openPage = async (files: Readonly<Record<string, string>>): Promise<OpenPage> => {
  const server = createServer(({ url = '' }, response) => {
    const text = files[url];
    response.statusCode = text === undefined ? 404 : 200;
    response.setHeader('content-type', url.endsWith('.js') ? 'text/javascript' : 'text/html');
    response.end(text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const browser = await openBrowser();
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (line) => void (line.type() === 'error' && errors.push(line.text())));
  const sent: Buffer[] = [];
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => void sent.push(Buffer.from(payload))),
  );
  // The browser asks for it by itself.
  await page.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }));
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return {
    page,
    errors,
    sent,
    close: async () => {
      await browser.close();
      server.closeAllConnections();
      server.close();
    },
  };
};
