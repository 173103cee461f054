import { expect } from 'chai';
import { readForm } from '../../../src/components/formValues.js';
import { configOf } from '../../../src/pages/rooms/app/topicConfig.js';
import type { TopicConfig } from '../../../src/pages/rooms/model.js';

type Webhook = NonNullable<NonNullable<TopicConfig['webhooks']>['onPublish']>;

const fieldsOfWebhook = (name: string, webhook: Webhook | undefined): Record<string, string> => ({
  [`${name}.url`]: webhook?.url ?? '',
  [`${name}.headers`]: webhook?.headers ? JSON.stringify(webhook.headers, null, 2) : '',
  [`${name}.retrySeconds`]: webhook?.retrySeconds?.toString() ?? '',
  [`${name}.bodyVersion`]: String(webhook?.bodyVersion ?? 1),
});

/** What the form sends with which nobody has done anything. */
const fieldsOf = ({ history, logging, webhooks }: TopicConfig): Record<string, string> => ({
  ...(history && {
    hasHistory: 'on',
    'history.messages': history.messages?.toString() ?? '',
    'history.seconds': history.seconds?.toString() ?? '',
  }),
  ...(logging?.enabled && { isLogged: 'on', 'logging.retention': logging.retention ?? 'tier' }),
  ...fieldsOfWebhook('webhooks.onPublish', webhooks?.onPublish),
  ...fieldsOfWebhook('webhooks.onSubscribe', webhooks?.onSubscribe),
});

const saved = (
  former: TopicConfig,
  entered: Record<string, string> = {},
  ticked: object = {},
): TopicConfig => {
  const data = new FormData();
  for (const [name, value] of Object.entries({ ...fieldsOf(former), ...entered, ...ticked }))
    if (value !== undefined) data.set(name, value);
  return configOf(readForm(data), (path) => path, former);
};

describe('the settings of a topic, saved', () => {
  const url = 'https://example.com/hook';
  const untouched: readonly (readonly [what: string, config: TopicConfig])[] = [
    ['nothing', {}],
    [
      'every field',
      {
        history: { seconds: 60, messages: 5 },
        logging: { enabled: true, retention: '7d', replayEnabled: false, maxReplayMessages: 50 },
        webhooks: {
          onPublish: { url, headers: { a: 'b' }, retrySeconds: 0, bodyVersion: 2 },
          onSubscribe: { url, headers: {} },
        },
      },
    ],
    ['defaults that are named', { logging: { enabled: true, retention: 'tier', replayEnabled: true } }],
    ['defaults that are not', { history: {}, logging: { enabled: true }, webhooks: { onPublish: { url } } }],
    ['a body of version 1', { webhooks: { onPublish: { url, bodyVersion: 1 } } }],
    ['recording that is off', { logging: { enabled: false, retention: '30d', maxReplayMessages: 9 } }],
    ['history that is null, and no webhook', { history: null, webhooks: {} }],
  ];
  for (const [what, config] of untouched)
    it(`are as they were where nothing was entered: ${what}`, () => {
      expect(saved(config)).to.eql(config);
    });

  it('replay what is recorded where recording was switched on', () => {
    const logging = { enabled: true, retention: '1d', replayEnabled: true };
    expect(saved({}, { isLogged: 'on', 'logging.retention': '1d' })).to.eql({ logging });
  });

  it('keep what was said of replay where recording is switched off and on again', () => {
    const former = { logging: { enabled: true, retention: '7d', replayEnabled: false } } as const;
    const off = saved(former, {}, { isLogged: undefined });
    expect(off).to.eql({ logging: { ...former.logging, enabled: false } });
    expect(saved(off, { isLogged: 'on', 'logging.retention': '7d' })).to.eql(former);
  });

  it('are without what was taken away', () => {
    const former: TopicConfig = {
      history: { messages: 5 },
      webhooks: { onPublish: { url, bodyVersion: 2 }, onSubscribe: { url } },
    };
    const entered = { 'webhooks.onSubscribe.url': '', 'webhooks.onPublish.bodyVersion': '1' };
    expect(saved(former, entered, { hasHistory: undefined })).to.eql({
      webhooks: { onPublish: { url, bodyVersion: 1 } },
    });
  });
});
