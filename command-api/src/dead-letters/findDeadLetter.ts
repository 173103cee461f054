import type { DeadLetter } from '@roomwire/shared/domain/deadLetter';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { isInCascade } from '@roomwire/shared/wire/views/cascades';
import type { Viewed } from '@roomwire/shared/wire/views/views';
import { Rejection } from '../handling/rejections.js';

/**
 * An entry of an organization. Rejects with `dead_letter_not_found`, also for one that is still to be removed with its project. Its
 * stream does not say that: the deletion of a project is an event of the project alone.
 */
export const findDeadLetter = async (
  views: Pick<ViewReader, 'get'>,
  { dlqId, organizationId }: { readonly dlqId: string; readonly organizationId: string },
): Promise<Viewed<DeadLetter>> => {
  const entry = await views.get('deadLetters', dlqId);
  if (entry?.organizationId !== organizationId || (await isLeaving(views, entry)))
    throw new Rejection('dead_letter_not_found', { dlqId });
  return entry;
};

const isLeaving = async (views: Pick<ViewReader, 'get'>, entry: Viewed<DeadLetter>): Promise<boolean> => {
  const cascade = await views.get('cascades', entry.projectId);
  return cascade !== undefined && isInCascade(cascade, entry);
};
