import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { unlessLost } from '@roomwire/shared/runtime/unlessLost';

/** What a call is made for was deleted: nobody is to be told any more. */
export class OwnerGone extends Error {
  override readonly name = 'OwnerGone';
}

/** Throws for an owner that the read models do not have: `OwnerGone`, unless they have lost what they had. */
export const refuseForOwner = async (views: Pick<ViewReader, 'admitsReaders'>): Promise<never> => {
  await unlessLost(views, undefined);
  throw new OwnerGone();
};
