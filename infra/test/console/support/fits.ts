import { expect } from 'chai';
import type { Page } from 'playwright-core';

/** Fails where the page is wider than its window. */
export const expectNoSidewaysScroll = async (page: Page): Promise<void> => {
  // As text: it runs in the page, whose types this package does not have.
  const over = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
  expect(over).to.be.at.most(0);
};
