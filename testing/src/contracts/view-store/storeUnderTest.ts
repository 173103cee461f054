import { expect } from 'chai';
import type { Views } from '@roomwire/shared/wire/views/views';
import type { UsageStore } from '@roomwire/shared/ports/usageStore';
import type {
  ViewChange,
  ViewFilter,
  ViewQuery,
  ViewStore,
  ViewVersions,
} from '@roomwire/shared/ports/viewStore';

export interface StoreUnderTest {
  /** Empty at first. */
  readonly store: ViewStore;
  /** On the same database. */
  readonly usage: UsageStore;
  readonly versions: ViewVersions;
  /** Closes the store and opens it again on what it has stored, as a program with another version of the read models would. */
  readonly reopen: (version?: number) => Promise<ViewStore>;
}

export type RoomView = Views['rooms'];

/** A log position: fixed width, in order. */
export const at = (position: number): string => String(position).padStart(20, '0');

export const room = (roomId: string, fields: Partial<RoomView> = {}): RoomView => ({
  roomId,
  appId: 'app',
  projectId: 'project',
  name: roomId,
  slug: roomId,
  description: null,
  topics: [],
  metadata: {},
  origin: 'api',
  status: 'active',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  createdPosition: at(1),
  ...fields,
});

export const putRoom = (roomId: string, fields?: Partial<RoomView>): ViewChange => ({
  put: 'rooms',
  id: roomId,
  doc: room(roomId, fields),
});

/** Identifiers of the rooms that a query finds, in its order. */
export const roomIds = async (store: ViewStore, query: ViewQuery): Promise<string[]> =>
  (await store.find('rooms', query)).map(({ roomId }) => roomId);

/** The same where the order is not defined. */
export const matchingIds = async (store: ViewStore, filter: ViewFilter): Promise<string[]> =>
  (await roomIds(store, { filter })).sort();

export const rejectionOf = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return expect.fail('It did not reject');
};
