// Linear in the length of the text, whatever it holds: each run of characters is gone through once.
const credential = new RegExp(
  [
    /((?:ak|at|sk)_(?:live|sandbox)_[A-Za-z0-9]+)\.[\w-]+/,
    /\bak_console_[\w-]+(?:\.[\w-]+)?/,
    /(?<![\w-])(?=[\w-]*eyJ)[\w-]+\.[\w-]+\.[\w-]*/,
    /\bBearer\s+\S+/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/** A text without the credentials in it. The public part of each stays, to identify it. */
export const redactText = (text: string): string =>
  text.replace(credential, (_match, keyId?: string) =>
    keyId === undefined ? '[redacted]' : `${keyId}.[redacted]`,
  );
