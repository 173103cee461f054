import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';

/** What a call is made for was deleted: nobody is to be told any more. */
export class OwnerGone extends Error {
  override readonly name = 'OwnerGone';
}

/** Throws for an owner that the read models do not have: `OwnerGone`, unless they have lost what they had. */
export const refuseForOwner = async (views: Pick<ViewReader, 'admitsReaders'>): Promise<never> => {
  if (await views.admitsReaders()) throw new OwnerGone();
  throw new EngineUnavailable('read models');
};
