import type { LoadHook } from 'node:module';
import { knownFaults, type Edit } from './knownFaults.js';

let edits: readonly Edit[] = [];

export const initialize = (name: string): void => {
  const fault = knownFaults[name];
  if (fault === undefined) throw new RangeError(`There is no known fault ${name}`);
  edits = fault.edits;
};

/** The source with the edits of its module. Throws where the code has changed, so that an edit would do nothing. */
export const edited = (url: string, source: string, all: readonly Edit[]): string =>
  all
    .filter(({ module }) => url.endsWith(module))
    .reduce((text, { find, replace }) => {
      if (text.split(find).length !== 2) throw new Error(`${url} does not have this once: ${find}`);
      return text.replace(find, () => replace);
    }, source);

export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  if (!edits.some(({ module }) => url.endsWith(module))) return loaded;
  const source = Buffer.from(loaded.source as Uint8Array).toString();
  return { ...loaded, source: edited(url, source, edits) };
};
