/** What of a page says that it is used again. Declared here, because the library is compiled without the DOM's types. */
interface Page {
  readonly addEventListener?: Listen;
  readonly removeEventListener?: Listen;
  readonly document?: PageDocument;
}

interface PageDocument {
  readonly visibilityState: string;
  readonly addEventListener: Listen;
  readonly removeEventListener: Listen;
}

type Listen = (type: string, listener: () => void) => void;

/** Calls `wake` when the network is back or the page is shown; never outside of browsers. The function that it returns stops that. */
export const onWake = (wake: () => void): (() => void) => {
  const page = globalThis as unknown as Page;
  const shown = (): void => {
    if (page.document?.visibilityState === 'visible') wake();
  };
  page.addEventListener?.('online', wake);
  page.document?.addEventListener('visibilitychange', shown);
  return () => {
    page.removeEventListener?.('online', wake);
    page.document?.removeEventListener('visibilitychange', shown);
  };
};
