import { InvalidArgumentError, Option, type Command } from 'commander';
import type { JsonSchema } from '@roomwire/command-api/http/schema';

type Fields = Readonly<Record<string, JsonSchema>>;

/** Stands for null, which the parser of options takes for an option without a value. */
const noValue = Symbol('null');

/** How the value of a field is written on the command line. */
interface Kind {
  readonly placeholder: string;
  readonly read: (text: string, before: unknown) => unknown;
}

const asText: Kind = { placeholder: 'text', read: (text) => text };
const asTime: Kind = { placeholder: 'time', read: (text) => text };
const asNumber: Kind = {
  placeholder: 'number',
  read: (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (Number.isNaN(value)) throw new InvalidArgumentError('It must be a number.');
    return value;
  },
};
const asFlag: Kind = {
  placeholder: 'true|false',
  read: (text) => {
    if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('It must be true or false.');
    return text === 'true';
  },
};
const asTexts: Kind = {
  placeholder: 'a,b',
  read: (text, before) => [
    ...(Array.isArray(before) ? (before as unknown[]) : []),
    ...text.split(',').map((each) => each.trim()),
  ],
};
const asJson: Kind = {
  placeholder: 'json',
  read: (text) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new InvalidArgumentError('It must be JSON.');
    }
  },
};

const typesOf = ({ type }: JsonSchema): readonly unknown[] => (Array.isArray(type) ? type : [type]);

const kindOf = (schema: JsonSchema): Kind => {
  const types = typesOf(schema);
  if (types.includes('string')) return schema['format'] === 'date-time' ? asTime : asText;
  if (types.includes('boolean')) return asFlag;
  if (types.includes('integer') || types.includes('number')) return asNumber;
  return types.includes('array') && itemsOf(schema)?.['type'] === 'string' ? asTexts : asJson;
};

/** A list with a limit describes its items behind it. */
const itemsOf = ({ items, then }: JsonSchema): JsonSchema | undefined =>
  (items ?? (then as JsonSchema | undefined)?.['items']) as JsonSchema | undefined;

/** `expiresAt` is `--expires-at`. */
const flagOf = (field: string): string =>
  `--${field.replace(/[A-Z]+/g, (capitals) => `-${capitals.toLowerCase()}`)}`;

const fieldsOf = (schema: JsonSchema): Fields => (schema['properties'] ?? {}) as Fields;

const describe = (schema: JsonSchema, isNeeded: boolean): string => {
  const values = schema['enum'] as readonly (string | null)[] | undefined;
  const parts = [
    isNeeded ? 'required' : undefined,
    schema['description'] as string | undefined,
    values && `one of ${values.filter((value) => value !== null).join(', ')}`,
    typesOf(schema).includes('null') ? 'null removes it' : undefined,
  ];
  return parts.filter(Boolean).join('; ');
};

/** An option for each field that the API takes, and `--body` for all of them at once. */
export const addFieldOptions = (command: Command, schema: JsonSchema): Command => {
  const needed = (schema['required'] ?? []) as readonly string[];
  for (const [field, of] of Object.entries(fieldsOf(schema))) {
    const { placeholder, read } = kindOf(of);
    const isNullable = typesOf(of).includes('null');
    const option = new Option(`${flagOf(field)} <${placeholder}>`, describe(of, needed.includes(field)));
    command.addOption(
      option.argParser((text, before) => (isNullable && text === 'null' ? noValue : read(text, before))),
    );
  }
  return command.addOption(
    new Option('--body <json>', 'all fields as one object; other options override its fields').argParser(
      (text) => asJson.read(text, undefined),
    ),
  );
};

/** What the API is sent. Options that are no fields are left out. */
export const bodyOf = (command: Command, schema: JsonSchema): Readonly<Record<string, unknown>> => {
  const given = command.opts<Readonly<Record<string, unknown>>>();
  const body: Record<string, unknown> = { ...(given['body'] as object | undefined) };
  for (const field of Object.keys(fieldsOf(schema))) {
    const option = command.options.find(({ long }) => long === flagOf(field));
    const value = option && given[option.attributeName()];
    if (value !== undefined) body[field] = value === noValue ? null : value;
  }
  return body;
};
