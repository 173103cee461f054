import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { ViewChange, ViewFilter, ViewReader } from '@roomwire/shared/ports/viewStore';
import type { Cascade } from '@roomwire/shared/wire/views/views';

type Deleted = Pick<Cascade, 'owner' | 'deletedId'>;

/**
 * The changes of an event in which everything that belongs to a deleted project or app is removed later: there may be a million of it,
 * and the changes of other tenants must not wait.
 */
export const withCascade = (
  { metadata, position }: RecordedEvent,
  changes: readonly ViewChange[],
): readonly ViewChange[] => {
  const removals = changes.flatMap((change) => {
    const deleted = 'removeWhere' in change ? deletedIn(change.filter) : undefined;
    return 'removeWhere' in change && deleted !== undefined ? [{ change, deleted }] : [];
  });
  const [first] = removals;
  if (first === undefined) return changes;
  const later = new Set<ViewChange>(removals.map(({ change }) => change));
  const cascade: Cascade = {
    ...first.deleted,
    organizationId: metadata.organizationId,
    views: removals.map(({ change }) => change.removeWhere),
    removed: 0,
    createdPosition: position,
  };
  return [
    ...changes.filter((change) => !later.has(change)),
    { put: 'cascades', id: cascade.deletedId, doc: cascade },
  ];
};

const owners: readonly string[] = ['projectId', 'appId'] satisfies Cascade['owner'][];

/** The project or app of which a filter selects everything. */
const deletedIn = (filter: ViewFilter): Deleted | undefined => {
  const [[field = '', deletedId] = [], ...others] = Object.entries(filter);
  if (others.length > 0 || typeof deletedId !== 'string' || !owners.includes(field)) return undefined;
  return { owner: field as Cascade['owner'], deletedId };
};

/** The oldest cascade of those that the checkpoint covers. */
export const oldestCascade = async (views: ViewReader): Promise<Cascade | undefined> => {
  if (!(await views.admitsReaders())) return undefined;
  const checkpoint = await views.checkpoint();
  if (checkpoint === undefined) return undefined;
  const filter = { createdPosition: { $lte: checkpoint } };
  const [oldest] = await views.find('cascades', { filter, sort: [['createdPosition', 1]], limit: 1 });
  return oldest;
};

/** What moves while somebody sweeps. */
export const markOf = (cascade: Cascade | undefined): string =>
  cascade === undefined ? '' : `${cascade.deletedId} ${cascade.removed}`;
