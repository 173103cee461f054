/** A query as the schemas see it: `orderBy[]=…` (repeatable) becomes the array `orderBy`. */
export const readQuery = (search: URLSearchParams): Record<string, unknown> => {
  const query: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  const orderBy: string[] = [];
  for (const [name, value] of search) {
    if (/^orderBy\[\d*\]$/.test(name)) orderBy.push(value);
    else query[name] = name in query ? [query[name], value].flat() : value;
  }
  if (orderBy.length > 0) query['orderBy'] = 'orderBy' in query ? [query['orderBy'], orderBy] : orderBy;
  return query;
};
