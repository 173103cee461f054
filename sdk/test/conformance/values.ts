type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const read: Readonly<Record<string, (text: string) => unknown>> = {
  $bytes: (text) => new Uint8Array(Buffer.from(text, 'base64')),
  $int: BigInt,
  $float: Number,
  $time: (text) => new Date(text),
};

/** A value of the kit as the client takes it. */
export const fromKit = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(fromKit);
  if (!isFields(value)) return value;
  const [[key, text] = ['', undefined], ...others] = Object.entries(value);
  const special = others.length === 0 ? read[key] : undefined;
  if (special !== undefined) return special(String(text));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fromKit(item)]));
};

/** A value that the client gives, as the kit writes it. */
export const toKit = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') };
  if (value instanceof Date) return { $time: value.toISOString() };
  if (typeof value === 'bigint') return { $int: String(value) };
  if (typeof value === 'number' && !Number.isFinite(value)) return { $float: String(value) };
  if (Array.isArray(value)) return value.map(toKit);
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toKit(item)]));
};
