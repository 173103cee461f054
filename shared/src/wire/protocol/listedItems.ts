import type { Buffer } from 'node:buffer';
import { scanJsonItems } from './jsonScan.js';
import { scanItems } from './messagePackScan.js';

/**
 * The items of the list of this name that is the only field of a sound object, in either encoding: at most one more than `most`, each
 * of them sound and as deep as it may be where it stands alone. Undefined for anything else. JSON is valid UTF-8 already.
 */
export const listedItems = (
  bytes: Buffer,
  isJson: boolean,
  name: string,
  most: number,
): readonly Buffer[] | undefined => {
  const scan = isJson ? jsonItems(bytes, most) : scanItems(bytes, most);
  if (scan?.name !== name) return undefined;
  const items: Buffer[] = [];
  for (let at = 0; at < scan.spans.length; at += 2)
    items.push(bytes.subarray(scan.spans[at], scan.spans[at + 1]));
  return items;
};

const jsonItems = (bytes: Buffer, most: number) => {
  const scanned = scanJsonItems(bytes, most);
  if (scanned === undefined) return undefined;
  const [start, end, ...spans] = scanned;
  return { name: JSON.parse(`"${bytes.toString('utf8', start, end)}"`) as string, spans };
};
