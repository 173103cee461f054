import type { Snippet } from '../../components/CodeSnippet.js';
import { gatewayUrl } from '../../session/gatewayUrl.js';
import type { Spot } from './model.js';

/** In quotes for a shell: a quote within ends them for a moment. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const compact = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text.trim();
  }
};

const connectLines = (): string =>
  [
    `import { connect } from '@roomwire/sdk';`,
    '',
    `const client = connect({ url: '${gatewayUrl()}', token: process.env.ROOMWIRE_TOKEN });`,
  ].join('\n');

const sdk = (...lines: readonly string[]): Snippet => ({
  title: 'SDK',
  code: [connectLines(), ...lines].join('\n'),
});

const curl = (path: string, ...rest: readonly string[]): Snippet => ({
  title: 'curl',
  code: [
    `curl ${rest.length === 0 ? '' : `${rest.join(' \\\n  ')} \\\n  `}-H "Authorization: Bearer $ROOMWIRE_API_KEY" \\`,
    `  ${quoted(`${location.origin}/v1${path}`)}`,
  ].join('\n'),
});

const cli = (...words: readonly string[]): Snippet => ({
  title: 'CLI',
  code: ['npx roomwire', ...words, '--url', location.origin].join(' '),
});

const roomPath = ({ appId, roomId }: Spot): string => `/apps/${appId}/rooms/${roomId}`;

const roomAddress = ({ address }: Spot): string => address.slice(0, address.lastIndexOf('/'));

const scopeOption = ({ scope }: Spot): readonly string[] => (scope === undefined ? [] : ['--scope', scope]);

const queryOf = (fields: Readonly<Record<string, string | undefined>>): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) query.set(name, value);
  return query.size === 0 ? '' : `?${query}`;
};

export const watchSnippets = ({ address, filters, hasHistory }: Spot): readonly Snippet[] => {
  const options = [
    'meta: true',
    ...(filters.length > 0 ? [`filters: ${JSON.stringify(filters)}`] : []),
    ...(hasHistory ? ['rewind: 20', 'resume: true'] : []),
  ].join(', ');
  return [
    sdk(
      `await client.subscribe('${address}', ({ data, meta }) => console.log(meta?.at, data), { ${options} });`,
    ),
    cli('listen', address, '--meta', ...(hasHistory ? ['--last 20'] : [])),
  ];
};

export const publishSnippets = (
  spot: Spot,
  { text, filter }: { readonly text: string; readonly filter: string },
): readonly Snippet[] => {
  const { address, scope } = spot;
  const data = compact(text);
  const options = filter === '' ? '' : `, { filter: ${JSON.stringify(filter)} }`;
  const fields = [
    `"topic": ${JSON.stringify(address)}`,
    `"data": ${data}`,
    ...(filter === '' ? [] : [`"filter": ${JSON.stringify(filter)}`]),
    ...(scope === undefined ? [] : [`"scope": "${scope}"`]),
  ];
  return [
    sdk(`await client.publish('${address}', ${data}${options});`),
    curl('/publish', `-d ${quoted(`{ ${fields.join(', ')} }`)}`, `-H 'Content-Type: application/json'`),
    ...(filter === '' && scope === undefined ? [cli('publish', address, quoted(data))] : []),
  ];
};

export const historySnippets = (spot: Spot): readonly Snippet[] => {
  const { address, topic, scope } = spot;
  return [
    sdk(
      `for await (const { data, meta } of client.history('${address}', { limit: 100 }))`,
      '  console.log(meta?.position, data);',
    ),
    curl(`${roomPath(spot)}/topics/${topic}/messages${queryOf({ limit: '100', scope })}`),
    cli('history', address, ...scopeOption(spot), '--limit 100'),
  ];
};

export const presenceSnippets = (spot: Spot): readonly Snippet[] => [
  sdk(
    `for (const { actorTokenId, presence } of await client.presence('${roomAddress(spot)}'))`,
    '  console.log(actorTokenId, presence);',
  ),
  curl(`${roomPath(spot)}/presence${queryOf({ scope: spot.scope })}`),
  cli('who', roomAddress(spot), ...scopeOption(spot)),
];

export const groupSnippets = (spot: Spot): readonly Snippet[] => [
  curl(`${roomPath(spot)}/groups`),
  cli('groups list', roomAddress(spot)),
];
