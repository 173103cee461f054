import type { Fields } from './plannedWrite.js';

type Documents = Iterable<readonly [id: string, document: Fields]>;

/** Documents by the strings in the fields that somebody has asked for. What has changed since is found too. */
export class ValueIndex {
  readonly #fields = new Map<string, Map<string, Set<string>>>();

  note(id: string, document: Fields): void {
    for (const [field, ids] of this.#fields) noteIn(ids, document[field], id);
  }

  /** Of all documents, which are gone through when a field is asked for the first time. */
  with(field: string, value: string, documents: Documents): Iterable<string> {
    let ids = this.#fields.get(field);
    if (ids === undefined) {
      ids = new Map();
      this.#fields.set(field, ids);
      for (const [id, document] of documents) noteIn(ids, document[field], id);
    }
    return ids.get(value) ?? [];
  }
}

const noteIn = (ids: Map<string, Set<string>>, found: unknown, id: string): void => {
  for (const value of Array.isArray(found) ? found : [found]) {
    if (typeof value !== 'string') continue;
    const noted = ids.get(value) ?? new Set();
    ids.set(value, noted.add(id));
  }
};
