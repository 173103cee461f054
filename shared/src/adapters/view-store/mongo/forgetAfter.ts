import type { Collection } from 'mongodb';
import { isNotImplemented } from './engineErrors.js';

/** Has the server remove documents so long after the time that is in the field. */
export const forgetAfter = async <T extends object>(
  collection: Collection<T>,
  field: string,
  expireAfterSeconds: number,
): Promise<void> => {
  await collection
    .createIndex({ [field]: 1 }, { expireAfterSeconds, sparse: true })
    .catch((error: unknown) => {
      // Such a server keeps what nobody looks at any more, which only costs space.
      if (!isNotImplemented(error)) throw error;
    });
};
