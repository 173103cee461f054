/** What JSON is made of in one step, in code units of text and in values: takes a fraction of a millisecond. */
const stepWeight = 16 * 1024;

/** Whether the JSON of the value is made in one step. */
export const isMadeAtOnce = (value: unknown): boolean => weightLeft(value, stepWeight) >= 0;

/** What is left of a weight; less than 0 as soon as nothing is, without a look at the rest of the value. */
const weightLeft = (value: unknown, weight: number): number => {
  let left = weight - 1;
  if (typeof value === 'string') return left - value.length;
  if (!isObject(value)) return left;
  if (Array.isArray(value)) {
    for (const item of value) if ((left = weightLeft(item, left)) < 0) break;
    return left;
  }
  for (const name in value) {
    left = weightLeft((value as Record<string, unknown>)[name], left - name.length);
    if (left < 0) break;
  }
  return left;
};

/** The JSON of a value, as `JSON.stringify` writes it into a list, in texts that are made one by one, each in one step. */
export function* jsonTexts(value: unknown): Iterable<string> {
  if (isMadeAtOnce(value) || hasOwnForm(value)) yield JSON.stringify(value) ?? 'null';
  else if (typeof value === 'string') yield* stringTexts(value);
  else if (Array.isArray(value)) {
    yield '[';
    yield* itemTexts(value);
    yield ']';
  } else {
    yield '{';
    yield* memberTexts(value as object);
    yield '}';
  }
}

/** The JSON of the items of a list, with commas between them. */
export function* itemTexts(items: readonly unknown[]): Iterable<string> {
  let isFirst = true;
  for (const run of runsOf(items)) {
    if (!isFirst) yield ',';
    isFirst = false;
    if (run.length > 1) yield inner(JSON.stringify(run));
    else yield* jsonTexts(run[0]);
  }
}

function* memberTexts(members: object): Iterable<string> {
  let separator = '';
  const written = Object.entries(members as Record<string, unknown>).filter(
    ([, member]) => member !== undefined,
  );
  for (const run of runsOf(written)) {
    yield separator;
    separator = ',';
    const [name, member] = run[0]!;
    if (run.length > 1) yield inner(JSON.stringify(Object.fromEntries(run)));
    else {
      yield* jsonTexts(name);
      yield ':';
      yield* jsonTexts(member);
    }
  }
}

function* stringTexts(text: string): Iterable<string> {
  yield '"';
  for (let from = 0; from < text.length;) {
    let to = from + stepWeight;
    // The two halves of a character stay together: alone, each would be written as an escape.
    if (isHighSurrogate(text.charCodeAt(to - 1)) && isLowSurrogate(text.charCodeAt(to))) to += 1;
    const part = text.slice(from, to);
    // A part without escapes refers to the text, where `JSON.stringify` would copy it more than once.
    yield mayNeedEscapes.test(part) ? inner(JSON.stringify(part)) : part;
    from = to;
  }
  yield '"';
}

// eslint-disable-next-line no-control-regex -- These are what JSON escapes, and halves of characters, which it escapes alone.
const mayNeedEscapes = /[\u0000-\u001f"\\\ud800-\udfff]/;

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000;

/** As many items in a run as are made in one step; what is too large for one is alone. */
function* runsOf<T>(items: readonly T[]): Iterable<readonly T[]> {
  let [begin, left] = [0, stepWeight];
  for (let at = 0; at < items.length; at += 1) {
    left = weightLeft(items[at], left);
    if (left >= 0) continue;
    if (at > begin) yield items.slice(begin, at);
    left = weightLeft(items[at], stepWeight);
    begin = at;
  }
  if (begin < items.length) yield items.slice(begin);
}

/** Without brackets or quotes. */
const inner = (json: string): string => json.slice(1, -1);

export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const hasOwnForm = (value: unknown): boolean =>
  isObject(value) && 'toJSON' in value && typeof value.toJSON === 'function';
