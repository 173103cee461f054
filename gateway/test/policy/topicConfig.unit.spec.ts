import { expect } from 'chai';
import type { TopicConfigs, TopicLogging, Webhook } from '@roomwire/shared/domain/app';
import { replayLimit, webhooksOf } from '../../src/policy/topicConfig.js';

const hook = (name: string): Webhook => ({ url: `https://example.com/${name}` });

describe('the webhooks of a topic', () => {
  const [ownHydration, ownTrigger] = [hook('own-hydration'), hook('own-trigger')];
  const [hydration, trigger] = [hook('hydration'), hook('trigger')];
  const none = { topicConfigs: {}, hydrationWebhook: null, triggerWebhook: null };
  const topicConfigs = { news: { webhooks: { onSubscribe: ownHydration, onPublish: ownTrigger } } };

  it('[HOOK-CONF-1] are its own, and those of the app where it has none', () => {
    const app = { topicConfigs, hydrationWebhook: hydration, triggerWebhook: trigger };
    expect(webhooksOf(app, 'news')).to.eql({ onSubscribe: ownHydration, onPublish: ownTrigger });
    expect(webhooksOf(app, 'chat')).to.eql({ onSubscribe: hydration, onPublish: trigger });
  });

  it('[HOOK-CONF-1] are looked for one by one', () => {
    const onPublishOnly = { news: { webhooks: { onPublish: ownTrigger } } };
    const app = { ...none, topicConfigs: onPublishOnly, hydrationWebhook: hydration };
    expect(webhooksOf(app, 'news')).to.eql({ onSubscribe: hydration, onPublish: ownTrigger });
    expect(webhooksOf({ ...none, hydrationWebhook: hydration }, 'news')).to.eql({
      ...{ onSubscribe: hydration, onPublish: undefined },
    });
    expect(webhooksOf({ ...none, triggerWebhook: trigger }, 'news')).to.eql({
      ...{ onSubscribe: undefined, onPublish: trigger },
    });
  });

  it('are none where neither has any', () => {
    expect(webhooksOf(none, 'news')).to.equal(undefined);
    expect(webhooksOf({ ...none, topicConfigs: { news: {} } }, 'news')).to.equal(undefined);
    // Of what every object has.
    expect(webhooksOf(none, 'constructor')).to.equal(undefined);
    const inherited = Object.create(topicConfigs) as typeof topicConfigs;
    expect(webhooksOf({ ...none, topicConfigs: inherited }, 'news')).to.equal(undefined);
  });
});

describe('the replay of a topic', () => {
  const limitOf = (logging: TopicLogging | undefined) =>
    replayLimit({ news: logging === undefined ? {} : { logging } }, 'news');

  it('[WS-GROUP-10] is a thousand messages, or as many as it is configured for', () => {
    expect(limitOf({ enabled: true })).to.equal(1_000);
    expect(limitOf({ enabled: true, replayEnabled: true })).to.equal(1_000);
    expect(limitOf({ enabled: true, maxReplayMessages: 7 })).to.equal(7);
    expect(limitOf({ enabled: true, maxReplayMessages: 0 })).to.equal(0);
  });

  it('is none where it is not wanted, or nothing is logged', () => {
    expect(limitOf({ enabled: true, replayEnabled: false })).to.equal(undefined);
    expect(limitOf({ enabled: false, maxReplayMessages: 7 })).to.equal(undefined);
    expect(limitOf(undefined)).to.equal(undefined);
    expect(replayLimit({}, 'news')).to.equal(undefined);
    const inherited = Object.create({ news: { logging: { enabled: true } } }) as TopicConfigs;
    expect(replayLimit(inherited, 'news')).to.equal(undefined);
  });
});
