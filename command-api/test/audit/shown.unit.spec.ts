import { expect } from 'chai';
import { shown, shownAt } from '../../src/audit/shown.js';

const webhook = (secret: string) => ({
  url: `https://example.com/hook?key=${secret}&n=1#part`,
  headers: { 'X-Key': secret, Authorization: `Bearer ${secret}` },
});
const shownWebhook = {
  url: 'https://example.com/hook?key=[hidden]&n=[hidden]#part',
  headers: { 'X-Key': '[hidden]', Authorization: '[hidden]' },
};
const configuration = (hook: object) => ({
  hydrationWebhook: hook,
  triggerWebhook: null,
  config: { accessMode: 'open', eventWebhook: hook },
  topicConfigs: {
    chat: { logging: { enabled: true }, webhooks: { onPublish: hook, onSubscribe: hook } },
    'a/b~c': { webhooks: {} },
  },
});

describe('what the history shows', () => {
  it('is not the values of headers and of query parameters, wherever a webhook is', () => {
    const data = configuration(webhook('s3cret'));
    const wanted = configuration(shownWebhook);
    for (const wrap of [
      (fields: object) => ({ appId: 'a', ...fields }),
      (changes: object) => ({ appId: 'a', changes }),
      (definition: object) => ({ blueprintId: 'b', definition, versions: ['1.0.0'] }),
    ])
      expect(shown(wrap(data))).to.eql(wrap(wanted));
  });

  it('is neither headers nor body of a dead letter, in the event or in the record', () => {
    const sent = { requestHeaders: { 'X-Key': 's3cret' }, requestBody: { data: 's3cret' } };
    const hidden = { requestHeaders: { 'X-Key': '[hidden]' }, requestBody: '[hidden]' };
    expect(shown({ dlqId: 'd', url: 'https://a.b/?s3cret', ...sent })).to.eql({
      ...{ dlqId: 'd', url: 'https://a.b/?[hidden]' },
      ...hidden,
    });
    expect(shown({ payload: sent })).to.eql({ payload: hidden });
    const payload = { id: 'd', sha256: 'ff' };
    expect(shown({ payload })).to.eql({ payload });
  });

  it('is not hashes and encrypted secrets, and is everything else', () => {
    const metadata = { headers: { a: 'b' }, url: 'https://a.b/?c=d', requestBody: 1 };
    const data = { name: 'x', metadata, config: { triggerWebhook: 'text' }, topics: ['chat'] };
    expect(shown({ ...data, secretHash: 'x', sealedSecret: {}, createdPosition: '1' })).to.eql(data);
    for (const odd of [null, 1, 'text', [1], {}])
      expect(shown({ triggerWebhook: odd, topicConfigs: odd, payload: odd })).to.eql({
        ...{ triggerWebhook: odd, topicConfigs: odd, payload: odd },
      });
  });

  it('is the same of a field that is shown alone', () => {
    const data = configuration(webhook('s3cret'));
    for (const [pointer, value, wanted] of [
      ['/hydrationWebhook', data.hydrationWebhook, shownWebhook],
      ['/hydrationWebhook/headers', data.hydrationWebhook, { url: '[hidden]', headers: '[hidden]' }],
      ['/hydrationWebhook/headers/X-Key', 's3cret', '[hidden]'],
      ['/hydrationWebhook/url', webhook('s3cret').url, shownWebhook.url],
      ['/topicConfigs/a~1b~0c/webhooks/onPublish/headers/X~1Y', 's3cret', '[hidden]'],
      ['/topicConfigs/chat', data.topicConfigs.chat, configuration(shownWebhook).topicConfigs.chat],
      ['/payload/requestBody', { data: 's3cret' }, '[hidden]'],
      ['/payload/requestBody/data', 's3cret', '[hidden]'],
      ['/name', 'x', 'x'],
      ['/metadata/headers/a', 'b', 'b'],
      ['/triggerWebhook', undefined, undefined],
      ['/triggerWebhook/headers/X-Key', undefined, undefined],
    ] as const)
      expect(shownAt(pointer, value), pointer).to.eql(wanted);
  });
});
