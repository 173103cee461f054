import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import type { Filter } from '@roomwire/sdk';
import { readFilters } from './filterText.js';

const names = ['app', 'room', 'topic', 'scope', 'filters'] as const;
type Name = (typeof names)[number];

/** What is chosen, as the address of the page has it, so that it can be sent to a colleague. */
export interface PlaceChoice {
  readonly appId: string | undefined;
  readonly roomId: string | undefined;
  readonly topic: string | undefined;
  /** An accessScopeId. */
  readonly scope: string | undefined;
  readonly filterText: string;
  readonly filters: readonly Filter[];
  /** `app/room/topic` of a link from elsewhere, to be looked up. */
  readonly address: string | undefined;
  /** What is left out stays; what stands behind it in the address of a topic goes with what is changed. */
  readonly choose: (changes: Readonly<Partial<Record<Name, string | undefined>>>) => void;
}

export const usePlace = (): PlaceChoice => {
  const [query, setQuery] = useSearchParams();
  const filterText = query.get('filters') ?? '';
  const filters = useMemo(() => readFilters(filterText), [filterText]);
  return {
    appId: query.get('app') ?? undefined,
    roomId: query.get('room') ?? undefined,
    topic: query.get('topic') ?? undefined,
    scope: query.get('scope') ?? undefined,
    ...{ filterText, filters },
    address: query.get('address') ?? undefined,
    choose: (changes) => {
      setQuery(
        (before) => {
          const next = new URLSearchParams();
          for (const name of names) {
            const value = name in changes ? changes[name] : (before.get(name) ?? undefined);
            if (value) next.set(name, value);
          }
          return next;
        },
        { replace: true },
      );
    },
  };
};
