/** Approximate length of a value as JSON, to bound memory at less than the cost of encoding it. */
export const roughSize = (value: unknown): number => {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  let size = 2;
  if (Array.isArray(value)) for (const item of value) size += roughSize(item) + 1;
  else for (const key in value) size += key.length + 4 + roughSize((value as Record<string, unknown>)[key]);
  return size;
};
