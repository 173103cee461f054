import type { Snippet } from '../../components/CodeSnippet.js';

const curlOf = (path: string, method = 'GET'): Snippet => ({
  title: 'curl',
  code: [
    `curl ${method === 'GET' ? '' : `-X ${method} `}-H "Authorization: Bearer $ROOMWIRE_SESSION_TOKEN" \\`,
    `  '${location.origin}/v1${path}'`,
  ].join('\n'),
});

const cliOf = (...words: readonly string[]): Snippet => ({
  title: 'CLI',
  code: ['npx roomwire', ...words, '--url', location.origin].join(' '),
});

interface OfProject {
  readonly organizationId: string;
  readonly projectId: string;
}

export const outcomeSnippets = ({
  organizationId,
  projectId,
  failedOnly,
}: OfProject & { readonly failedOnly: boolean }): readonly Snippet[] => [
  cliOf(
    'webhooks tail',
    `--org ${organizationId}`,
    `--project ${projectId}`,
    ...(failedOnly ? ['--failed'] : []),
  ),
  curlOf(
    `/organizations/${organizationId}/webhook-outcomes?projectId=${projectId}${failedOnly ? '&failed=true' : ''}`,
  ),
];

export const deadLetterSnippets = ({
  organizationId,
  projectId,
  status,
  kind,
}: OfProject & { readonly status: string; readonly kind: string }): readonly Snippet[] => {
  const chosen = Object.entries({ status, kind }).filter(([, value]) => value !== '');
  const query = new URLSearchParams([['projectId', projectId], ...chosen]);
  const options = chosen.map(([name, value]) => `--${name} ${value}`);
  return [
    cliOf('dead-letters list', `--org ${organizationId}`, `--project ${projectId}`, ...options),
    curlOf(`/organizations/${organizationId}/webhook-dlq?${query}`),
  ];
};

export const redriveSnippets = ({
  organizationId,
  dlqId,
}: {
  readonly organizationId: string;
  readonly dlqId: string;
}): readonly Snippet[] => [
  cliOf('dead-letters redrive', dlqId, '--wait', `--org ${organizationId}`),
  curlOf(`/organizations/${organizationId}/webhook-dlq/${dlqId}/redrive?wait=true`, 'POST'),
];

export const verifySnippets: readonly Snippet[] = [
  {
    title: 'SDK',
    code: [
      `import { verifyWebhook } from '@roomwire/server';`,
      '',
      '// `body` is the text as it came, before anything parsed it. Throws where the call is not genuine.',
      'const call = verifyWebhook(process.env.ROOMWIRE_WEBHOOK_SECRET, headers, body);',
    ].join('\n'),
  },
];
