/** Asks for something with the session, from a shell. */
export const curlOf = (path: string, query: Readonly<Record<string, string | undefined>> = {}): string => {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`  --data-urlencode ${quoted(`${name}=${value}`)}`],
  );
  return [
    `curl -sG ${quoted(`${location.origin}/v1${path}`)}`,
    '  -H "Authorization: Bearer $ROOMWIRE_SESSION_TOKEN"',
    ...parameters,
  ].join(' \\\n');
};

/** A command of the CLI: options without a value are left out. */
export const commandOf = (
  words: readonly string[],
  options: Readonly<Record<string, string | undefined>> = {},
): string =>
  [
    'npx roomwire',
    ...words.map(shellWord),
    ...Object.entries(options).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [`--${name}`, shellWord(value)],
    ),
    ...['--url', location.origin],
  ].join(' ');

const shellWord = (word: string): string => (/^[\w./:@-]+$/.test(word) ? word : quoted(word));

/** For a shell: whatever it is, it stays one word, and is not interpreted. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
