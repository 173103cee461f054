export type Kind = 'text' | 'number' | 'flag' | 'object' | 'list' | 'anything';

/** A value that a field refuses, and the path of the failure where it is not the field's own. */
export interface Wrong {
  readonly value: unknown;
  readonly below?: string;
}

/** What a body may hold under a name. */
export interface Field {
  readonly kind: Kind;
  /** Whether null is a value of the field. */
  readonly orNull: boolean;
  readonly right: readonly unknown[];
  readonly wrong: readonly Wrong[];
  /** What the body must hold for the field to have a meaning. */
  readonly alongside?: Readonly<Record<string, unknown>>;
}

type Values = { readonly right?: readonly unknown[]; readonly wrong?: readonly (Wrong | string | number)[] };

const field = (kind: Kind, orNull: boolean, { right = [], wrong = [] }: Values): Field => ({
  kind,
  orNull,
  right,
  wrong: wrong.map((value) => (typeof value === 'object' ? value : { value })),
});

export const text = (values: Values = {}): Field => field('text', false, values);
/** A whole number. */
export const count = (least: number, most: number): Field =>
  field('number', false, { right: [least, most], wrong: [least - 1, most + 1, least + 0.5] });
export const flag = (values: Values = {}): Field => field('flag', false, values);
export const object = (values: Values = {}): Field => field('object', false, values);
export const list = (values: Values = {}): Field => field('list', false, values);
export const anything: Field = field('anything', true, { right: [7, 'x', [1], { a: { b: null } }] });
export const orNull = (given: Field): Field => ({ ...given, orNull: true });

/** The value fails at a path below the field. */
export const below = (path: string, value: unknown): Wrong => ({ value, below: path });

export const oneOf = (...values: readonly string[]): Field =>
  text({ right: values, wrong: ['', values[0]?.toUpperCase() ?? '', 'other', `${values[0]} `] });

export const uuid = (): Field =>
  text({ wrong: ['', 'x', '11111111-2222-4333-8444-55555555555', '{11111111-2222-4333-8444-555555555555}'] });

export const upTo = (characters: number): Field =>
  text({ right: ['', 'a'.repeat(characters)], wrong: ['a'.repeat(characters + 1)] });

export const name = (): Field =>
  text({ right: ['a', 'Ä 😀 "<&', 'a'.repeat(255)], wrong: ['', ' ', 'a'.repeat(256), 'a\0', '\ud800'] });

const digits = 'a'.repeat(94);
/** `room` for the most characters that a slug may have. */
export const slug = (most: number): Field =>
  text({
    right: ['a', '0-a', `${digits}b${'c'.repeat(most - 95)}`],
    wrong: ['', 'A', 'a b', 'a_b', 'a/b', '-a', 'a-', 'é', 'a\n', 'a'.repeat(most + 1)],
  });

export const time = (): Field =>
  text({
    right: ['2030-01-01T00:00:00Z', '2030-01-01T00:00:00.123+02:00'],
    wrong: ['', 'tomorrow', '2030-01-01', '2030-02-30T00:00:00Z', '2030-01-01T00:00:00', '1893456000'],
  });

export const version = (): Field => text({ wrong: ['', '1', '1.0', 'v1.0.0', '01.0.0', 'latest', '1.0.0 '] });

export const topics = (): Field =>
  list({
    right: [[], ['chat', 'a_B:c-9']],
    wrong: [
      ...[7, null, '', 'a/b', 'a b', 'é', 'a#', 'a+', 'a'.repeat(101)].map((topic) => below('0', [topic])),
      below('1', ['chat', 'a.b']),
      { value: ['chat', 'chat'] },
    ],
  });

export const webhook = (): Field =>
  orNull(
    object({
      right: [
        { url: 'https://example.com/hook?key=1' },
        { url: 'http://example.com', headers: { 'X-Key': 'a', 'x-other': '' } },
        { url: 'https://example.com', headers: {} },
      ],
      wrong: [
        below('url', {}),
        ...[7, null, '', 'nonsense', '/path', 'ftp://example.com', 'javascript:alert(1)'].map((url) =>
          below('url', { url }),
        ),
        below('method', { url: 'https://example.com', method: 'GET' }),
        ...[7, [], 'a: b'].map((headers) => below('headers', { url: 'https://example.com', headers })),
        ...[7, null, {}, 'a\nb'].map((value) =>
          below('headers.x-key', { url: 'https://example.com', headers: { 'x-key': value } }),
        ),
        below('headers.a b', { url: 'https://example.com', headers: { 'a b': 'x' } }),
      ],
    }),
  );
