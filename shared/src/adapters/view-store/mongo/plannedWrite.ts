export type Fields = Readonly<Record<string, unknown>>;

/** What becomes of one document. */
export type DocumentWrite = { readonly put: Fields } | { readonly set: Fields } | 'remove';

export type PlannedWrite =
  | { readonly documents: ReadonlyMap<string, DocumentWrite> }
  /** Every document that matches, in the form in which it is stored. */
  | { readonly where: Fields; readonly write: { readonly set: Fields } | 'remove' };

export const isPut = (write: DocumentWrite | undefined): write is { readonly put: Fields } =>
  typeof write === 'object' && 'put' in write;
