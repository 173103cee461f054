/** Makes a Node program collect its garbage when it gets SIGUSR2. */
export const collecting: Readonly<Record<string, string>> = {
  NODE_OPTIONS: `--import=${new URL('./collectOnSignal.js', import.meta.url).href}`,
};
