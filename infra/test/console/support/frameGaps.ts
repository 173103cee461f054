import type { Page } from 'playwright-core';

/** From now on the page notes for how long it draws nothing, because it is busy. */
export const countFrameGaps = (page: Page): Promise<void> =>
  page.evaluate<undefined>(`{
    let last = performance.now();
    window.longestGap = 0;
    const frame = (now) => {
      window.longestGap = Math.max(window.longestGap, now - last);
      last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    undefined;
  }`);

/** Milliseconds. */
export const longestFrameGap = (page: Page): Promise<number> => page.evaluate<number>('window.longestGap');
