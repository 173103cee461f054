import { Buffer } from 'node:buffer';
import { isNetwork } from '@roomwire/shared/runtime/networks';

export type Environment = Readonly<Record<string, string | undefined>>;

/** One environment variable, read as a value of its kind; what is wrong with it is collected, not thrown. */
export interface VariableReader {
  text(name: string): string | undefined;
  integer(name: string, fallback: number, range: { readonly min: number; readonly max: number }): number;
  /** From 0 to 1. */
  fraction(name: string, fallback: number): number;
  flag(name: string, fallback: boolean): boolean;
  oneOf<T extends string, F extends T | undefined>(name: string, fallback: F, values: readonly T[]): T | F;
  url(name: string, protocols: readonly string[]): string | undefined;
  /** Like `url`, but it may name several hosts; the engine's client reads the rest of it. */
  engineUrl(name: string, protocols: readonly string[]): string | undefined;
  /** Web origins, as browsers send them. */
  origins(name: string): readonly string[] | '*' | undefined;
  /** Networks, as `10.1.0.0/16`, and single addresses. */
  networks(name: string): readonly string[];
  /** 32 bytes in base64. */
  key(name: string): Uint8Array | undefined;
  /** Any number of them, with commas between. */
  keys(name: string): readonly Uint8Array[];
}

const keyBytes = 32;

export const createVariableReader = (environment: Environment, problems: string[]): VariableReader => {
  const read = <T>(
    name: string,
    fallback: T,
    parse: (text: string) => T | undefined,
    expected: string,
  ): T => {
    const text = environment[name]?.trim();
    if (text === undefined || text === '') return fallback;
    const value = parse(text);
    if (value === undefined) problems.push(`${name} must be ${expected}`);
    return value ?? fallback;
  };

  return {
    text: (name) => read<string | undefined>(name, undefined, (text) => text, 'text'),
    integer: (name, fallback, { min, max }) =>
      read(name, fallback, (text) => integerIn(text, min, max), `a whole number from ${min} to ${max}`),
    fraction: (name, fallback) => read(name, fallback, fractionOf, 'a number from 0 to 1'),
    flag: (name, fallback) => read(name, fallback, (text) => flags.get(text.toLowerCase()), 'true or false'),
    oneOf: <T extends string, F extends T | undefined>(name: string, fallback: F, values: readonly T[]) =>
      read<T | F>(
        name,
        fallback,
        (text) => values.find((value) => value === text),
        `one of ${values.join(', ')}`,
      ),
    url: (name, protocols) =>
      read<string | undefined>(
        name,
        undefined,
        (text) => (URL.canParse(text) && protocols.includes(new URL(text).protocol) ? text : undefined),
        beginningWith(protocols),
      ),
    engineUrl: (name, protocols) =>
      read<string | undefined>(
        name,
        undefined,
        (text) => (protocols.some((protocol) => isAddress(text, `${protocol}//`)) ? text : undefined),
        beginningWith(protocols),
      ),
    origins: (name) =>
      read<readonly string[] | '*' | undefined>(
        name,
        undefined,
        parseOrigins,
        '* or origins such as https://app.example.com, several with commas between them',
      ),
    networks: (name) =>
      read<readonly string[]>(
        name,
        [],
        parseNetworks,
        'networks such as 10.1.0.0/16 or fd00::/8, or addresses, several with commas between them',
      ),
    key: (name) => read<Uint8Array | undefined>(name, undefined, parseKey, `${keyBytes} bytes in base64`),
    keys: (name) =>
      read<readonly Uint8Array[]>(
        name,
        [],
        parseKeys,
        `${keyBytes} bytes in base64, several with commas between them`,
      ),
  };
};

const beginningWith = (protocols: readonly string[]): string =>
  `an address that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;

const isAddress = (text: string, beginning: string): boolean =>
  text.startsWith(beginning) && /^[^\s/?]+/.test(text.slice(beginning.length)) && !/\s/.test(text);

const flags = new Map([
  ['true', true],
  ['false', false],
]);

const fractionOf = (text: string): number | undefined =>
  /^(?:0|1|[01]?\.\d{1,15})$/.test(text) && Number(text) <= 1 ? Number(text) : undefined;

const integerIn = (text: string, min: number, max: number): number | undefined => {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
};

const parseOrigins = (text: string): readonly string[] | '*' | undefined => {
  if (text === '*') return '*';
  const origins = text.split(',').map((origin) => origin.trim());
  return origins.every(isOrigin) ? origins : undefined;
};

/** Exactly as it stands in an `Origin` header, because it is compared as text; apps have schemes of their own. */
const isOrigin = (text: string): boolean => {
  if (!/^[a-z][a-z\d+.-]*:\/\/[^\s/?#@*]+$/.test(text) || !URL.canParse(text)) return false;
  const { protocol, origin } = new URL(text);
  return !['http:', 'https:'].includes(protocol) || origin === text;
};

const parseNetworks = (text: string): readonly string[] | undefined => {
  const networks = text.split(',').map((network) => network.trim());
  return networks.every(isNetwork) ? networks : undefined;
};

const parseKey = (text: string): Uint8Array | undefined => {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === keyBytes && bytes.toString('base64') === text ? bytes : undefined;
};

const parseKeys = (text: string): readonly Uint8Array[] | undefined => {
  const keys = text.split(',').map((each) => parseKey(each.trim()));
  return keys.every((key) => key !== undefined) ? keys : undefined;
};
