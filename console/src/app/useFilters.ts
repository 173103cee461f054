import { useMemo } from 'react';
import { useSearchParams } from 'wouter';

/** What a page asks for, as it stands in its address: a link to it, and a page that is opened again, ask the same. */
export interface Filters<Name extends string> {
  /** Empty where nothing is asked for. */
  readonly asked: Readonly<Record<Name, string>>;
  /** Those that are asked for, as the query of a request. */
  readonly query: Readonly<Partial<Record<Name, string>>>;
  readonly ask: (values: Readonly<Record<Name, string>>) => void;
  readonly clear: () => void;
}

export const useFilters = <Name extends string>(names: readonly Name[]): Filters<Name> => {
  const [search, setSearch] = useSearchParams();
  const asked = useMemo(
    () => Object.fromEntries(names.map((name) => [name, search.get(name) ?? ''])) as Record<Name, string>,
    [names, search],
  );
  const query = useMemo(() => givenOf(asked), [asked]);
  return {
    asked,
    query,
    ask: (values) => setSearch(new URLSearchParams(Object.entries(givenOf(values)))),
    clear: () => setSearch(new URLSearchParams()),
  };
};

const givenOf = <Name extends string>(
  values: Readonly<Record<Name, string>>,
): Partial<Record<Name, string>> =>
  Object.fromEntries(Object.entries<string>(values).filter(([, value]) => value !== '')) as Partial<
    Record<Name, string>
  >;
