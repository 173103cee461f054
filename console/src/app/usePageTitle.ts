import { useEffect } from 'react';

/** What the browser shows, and remembers in its history. */
export const usePageTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${title} – Roomwire console`;
  }, [title]);
};
