import type { Cascade } from './views.js';

type Extent = Pick<Cascade, 'owner' | 'deletedId' | 'createdPosition'>;

/** A filter of the read models for what a cascade removes from each of its views. */
export const cascadeFilter = ({ owner, deletedId, createdPosition }: Extent) => ({
  [owner]: deletedId,
  createdPosition: { $lte: createdPosition },
});

/** Whether a document of one of its views is among them. */
export const isInCascade = ({ owner, deletedId, createdPosition }: Extent, document: object): boolean => {
  const fields = document as Readonly<Record<string, unknown>>;
  return fields[owner] === deletedId && String(fields['createdPosition']) <= createdPosition;
};
