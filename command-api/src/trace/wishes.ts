import type { RecordedConnection } from '@roomwire/shared/ports/connectionRecord';
import type { FilterEntry } from '@roomwire/shared/wire/protocol/messageOptions';
import { matchesFilters } from '@roomwire/shared/wire/protocol/matchesFilters';
import type { TracedMessage } from './tracedMessage.js';

/** What decides which messages a subscription gets. */
export interface Wishes {
  readonly filters?: readonly FilterEntry[] | undefined;
  readonly filtersLeftOut?: boolean | undefined;
  readonly own?: boolean | undefined;
  readonly group?: string | undefined;
  readonly jobs?: boolean | undefined;
  /** Its messages wait until what came before them was sent. */
  readonly replays?: boolean | undefined;
}

export type LeftOut =
  | { readonly outcome: 'own'; readonly wasSameConnection: boolean }
  | { readonly outcome: 'filtered'; readonly filters: readonly FilterEntry[] }
  /** Nobody knows. */
  | { readonly outcome: 'unknown'; readonly reason: 'filters_not_recorded' };

/** [WS-PUB-2] [WS-OWN-1] [WS-FILTER-3] Why a subscription does not get a message that it may get; a replay does not ask by which connection it was published. */
export const leftOut = (
  { filters, filtersLeftOut, own = false }: Wishes,
  message: TracedMessage,
  { actorTokenId, mark }: Pick<RecordedConnection, 'actorTokenId' | 'mark'>,
  way: 'live' | 'replay' = 'live',
): LeftOut | undefined => {
  const wasSameConnection = way === 'live' && message.publishedBy === mark;
  if (message.publisher === actorTokenId && (!own || wasSameConnection))
    return { outcome: 'own', wasSameConnection };
  if (filtersLeftOut) return { outcome: 'unknown', reason: 'filters_not_recorded' };
  if (filters === undefined || matchesFilters(filters, new Set(message.filters))) return undefined;
  return { outcome: 'filtered', filters };
};
