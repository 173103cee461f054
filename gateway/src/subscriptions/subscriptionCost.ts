import type { FilterEntry } from '@roomwire/shared/wire/protocol/messageOptions';

/** Measured on the heap, in bytes: without filters, and with an index that no other subscription shares. */
const baseBytes = 1_000;
const memberBytes = 5_000;
const filterBytes = 220;
const groupBytes = 550;
const valueBytes = 60;
/** Texts that are not Latin. */
const bytesPerCharacter = 2;

interface Costly {
  readonly filters: readonly FilterEntry[] | undefined;
  readonly group: string | undefined;
}

/** The memory that a subscription takes, in bytes: never less than it does. */
export const subscriptionCost = (address: string, { filters = [], group }: Costly): number => {
  let bytes = baseBytes + bytesPerCharacter * address.length;
  if (group !== undefined) bytes += memberBytes + bytesPerCharacter * group.length;
  for (const entry of filters) bytes += filterCost(entry);
  return bytes;
};

/** An AND-group is kept with its name, in which all values are repeated. */
const filterCost = (entry: FilterEntry): number => {
  if (typeof entry === 'string') return filterBytes + bytesPerCharacter * entry.length;
  let bytes = groupBytes;
  for (const value of entry) bytes += valueBytes + 2 * bytesPerCharacter * value.length;
  return bytes;
};
