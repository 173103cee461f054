/** The query of a request target as the schemas see it: `orderBy[]=…` (repeatable) becomes the array `orderBy`. */
export const readQuery = (target: string): Record<string, unknown> => {
  const [, search] = /\?(.*)$/s.exec(target) ?? [];
  const query: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  const orderBy: string[] = [];
  for (const [name, value] of new URLSearchParams(search)) {
    if (/^orderBy\[\d*\]$/.test(name)) orderBy.push(value);
    else query[name] = name in query ? [query[name], value].flat() : value;
  }
  if (orderBy.length > 0) query['orderBy'] = 'orderBy' in query ? [query['orderBy'], orderBy] : orderBy;
  return query;
};
