import { useEffect, useRef, type RefObject } from 'react';

/** After a change of the page, not at the first one, the keyboard and screen readers go on at the new content. */
export const useFocusOnNavigation = (path: string, content: RefObject<HTMLElement | null>): void => {
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    content.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [path, content]);
};
