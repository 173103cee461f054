/**
 * The query of a request target as the schemas see it: `orderBy[]=…` (repeatable) becomes the array `orderBy`. A name
 * with brackets that ask for anything else becomes a value that no schema takes. Throws a URIError, with the status that
 * Express gives one of the path, for what is not UTF-8.
 */
export const readQuery = (target: string): Record<string, unknown> => {
  const mark = target.indexOf('?');
  const search = mark === -1 ? '' : target.slice(mark + 1);
  const query: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  const orderBy: string[] = [];
  const parameters = new URLSearchParams(search);
  if (!isUtf8(search, parameters))
    throw Object.assign(new URIError('The query is not UTF-8'), { status: 400 });
  for (const [name, value] of parameters) {
    const [, base = name, index] = /^([^[]+)\[(.*)\]$/s.exec(name) ?? [];
    if (base === 'orderBy' && index !== undefined && /^\d*$/.test(index)) orderBy.push(value);
    else if (index !== undefined) query[base] = [[value]];
    else query[base] = base in query ? withAnother(query[base], value) : value;
  }
  if (orderBy.length > 0) query['orderBy'] = 'orderBy' in query ? [query['orderBy'], orderBy] : orderBy;
  return query;
};

/** A request may name one parameter thousands of times: what was gathered of it is not copied for each. */
const withAnother = (earlier: unknown, value: string): unknown[] => {
  if (!Array.isArray(earlier)) return [earlier, value];
  earlier.push(value);
  return earlier as unknown[];
};

/** What cannot be decoded has become a replacement character, which somebody may have sent as well. */
const isUtf8 = (search: string, parameters: URLSearchParams): boolean =>
  !parameters.toString().includes('%EF%BF%BD') || /%EF%BF%BD/i.test(search);
