import { Buffer } from 'node:buffer';

/** Where a secret may appear in plain text, other than in the answer that shows it. */
export type Home = 'nowhere' | 'stores';

export interface Secret {
  readonly name: string;
  readonly text: string;
  readonly home: Home;
}

/** Every secret that was ever shown, minted or configured in a run. */
export interface SecretLedger {
  readonly secrets: readonly Secret[];
  add(name: string, text: string, home?: Home): void;
  /** The secret part of a key or token of the form `<public>.<secret>`, or the signature of one of three parts. */
  addToken(name: string, token: string): void;
}

export const createSecretLedger = (): SecretLedger => {
  const secrets: Secret[] = [];
  const add = (name: string, text: string, home: Home = 'nowhere'): void => {
    if (text.length < 2 * shownLength) throw new TypeError(`${name} is too short to be searched for`);
    if (!secrets.some((known) => known.text === text)) secrets.push({ name, text, home });
  };
  return {
    secrets,
    add,
    addToken: (name, token) => add(name, token.split('.').at(-1) as string),
  };
};

/** The names of the secrets of which a good part stands in the bytes, in any of its forms. */
export const secretsIn = (bytes: Buffer, secrets: readonly Secret[]): readonly string[] =>
  secrets
    .filter((secret) => formsOf(secret.text).some((form) => bytes.includes(form)))
    .map(({ name }) => name);

/** So much of the beginning or of the end gives a secret away: nothing else holds 96 of its bits. */
const shownLength = 16;

const forms = new Map<string, readonly Buffer[]>();

const formsOf = (text: string): readonly Buffer[] => {
  const known = forms.get(text);
  if (known !== undefined) return known;
  const made = [
    ...[text.slice(0, shownLength), text.slice(-shownLength)].flatMap((part) => textForms(Buffer.from(part))),
    // The bytes that a text in base64 stands for are the secret as well.
    ...bytesForms(Buffer.from(text, 'base64url')),
  ];
  forms.set(text, made);
  return made;
};

const textForms = (part: Buffer): readonly Buffer[] => [
  part,
  Buffer.from(part.toString(), 'utf16le'),
  ...encodedForms(part),
];

const bytesForms = (bytes: Buffer): readonly Buffer[] =>
  [bytes.subarray(0, shownLength), bytes.subarray(-shownLength)].flatMap((part) => [
    part,
    ...encodedForms(part),
  ]);

const encodedForms = (part: Buffer): readonly Buffer[] => {
  const hex = part.toString('hex');
  return [hex, hex.toUpperCase(), ...base64Forms(part)].map((text) => Buffer.from(text));
};

/** A part of something longer in base64 looks in three ways, by where it begins; the letters shared with others are left out. */
const base64Forms = (part: Buffer): readonly string[] =>
  [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), part]);
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor((padded.length * 8) / 6);
    return (['base64', 'base64url'] as const).map((encoding) => padded.toString(encoding).slice(from, to));
  });
