import { createStore } from './store.js';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const key = 'roomwire-theme';

const isTheme = (given: string | null): given is Theme => themes.some((theme) => theme === given);

/** A preference of this browser, and no secret. Storage may be forbidden. */
const remembered = (): Theme => {
  try {
    const kept = localStorage.getItem(key);
    return isTheme(kept) ? kept : 'system';
  } catch {
    return 'system';
  }
};

export const theme = createStore<Theme>(remembered());

const show = (): void => {
  const chosen = theme.get();
  if (chosen === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = chosen;
};

export const chooseTheme = (chosen: Theme): void => {
  theme.set(chosen);
  try {
    localStorage.setItem(key, chosen);
  } catch {
    // The choice holds for this page.
  }
};

theme.follow(show);
show();
