import type { ViewStore } from '@roomwire/shared/ports/viewStore';

/** When a record was last used, ISO 8601; null when it never was. */
export const lastUseOf = async (views: ViewStore, id: string): Promise<string | null> =>
  (await views.lastUses([id])).get(id) ?? null;

/** Presents records with the times of their last uses, which are read at once. */
export const presentUsed = async <T, Presented>(
  views: ViewStore,
  records: readonly T[],
  idOf: (record: T) => string,
  present: (record: T, lastUsedAt: string | null) => Presented,
): Promise<Presented[]> => {
  const uses = await views.lastUses(records.map(idOf));
  return records.map((record) => present(record, uses.get(idOf(record)) ?? null));
};
