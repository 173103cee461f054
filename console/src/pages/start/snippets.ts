import type { Snippet } from '../../components/CodeSnippet.js';
import { gatewayUrl } from '../../session/gatewayUrl.js';
import type { Spot } from '../live/model.js';

/** To run as they are, once the token stands in the variable. */
export const clientSnippets = ({ address }: Spot): readonly Snippet[] => [
  {
    title: 'CLI',
    code: [
      'export ROOMWIRE_TOKEN=<the token above>',
      `npx roomwire listen ${address} --url ${location.origin}`,
    ].join('\n'),
  },
  {
    title: 'SDK',
    code: [
      `import { connect } from '@roomwire/sdk';`,
      '',
      `const client = connect({ url: '${gatewayUrl()}', token: process.env.ROOMWIRE_TOKEN });`,
      `await client.subscribe('${address}', ({ data }) => console.log(data));`,
      `await client.publish('${address}', { text: 'Hello from a client' });`,
    ].join('\n'),
  },
];
