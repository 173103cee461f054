import { expect } from 'chai';
import { removalEdit, settingsEdit, withTopic } from '../../../src/pages/rooms/app/topicEdits.js';
import { changesNow, editOf } from '../../../src/pages/rooms/edit.js';
import type { App } from '../../../src/pages/rooms/model.js';

const shown = {
  name: 'Support',
  description: null,
  topics: ['chat', 'orders'],
  topicConfigs: { chat: { history: { messages: 5, seconds: 60 } } },
  config: { lobbies: [{ slug: 'hall', rooms: ['a'] }] },
  status: 'active',
} as unknown as App;

const withHistory = { chat: { history: { seconds: 60, messages: 5 } }, orders: { history: {} } };

describe('a change of an app that somebody else has changed meanwhile', () => {
  it('of the settings of a topic leaves those of the others as they are now', () => {
    const now = { ...shown, topicConfigs: withHistory };
    expect(changesNow(settingsEdit('chat', {}), shown, now)).to.eql({
      topicConfigs: { ...withHistory, chat: {} },
    });
  });

  it('of the list of topics leaves the others in it', () => {
    const now = { ...shown, topics: ['chat', 'orders', 'news'], topicConfigs: withHistory };
    expect(withTopic(now, 'alarms')).to.eql({ topics: ['chat', 'orders', 'news', 'alarms'] });
    expect(changesNow(removalEdit('chat'), shown, now)).to.eql({
      topics: ['orders', 'news'],
      topicConfigs: { orders: { history: {} } },
    });
  });

  it('is none where that was the same topic', () => {
    const now = { ...shown, topicConfigs: withHistory };
    expect(changesNow(settingsEdit('orders', {}), shown, now)).to.equal(undefined);
    expect(changesNow(removalEdit('orders'), shown, now)).to.equal(undefined);
    const without = { ...shown, topics: ['chat'] };
    expect(changesNow(settingsEdit('orders', {}), shown, without)).to.equal(undefined);
  });

  const entered = { name: 'Help', description: null, config: { lobbies: [{ rooms: ['a'], slug: 'hall' }] } };

  it('has only the fields of a form that are not as they were shown', () => {
    const now = { ...shown, config: {}, description: 'Of somebody else' };
    expect(changesNow(editOf(shown, entered), shown, now)).to.eql({ name: 'Help' });
    expect(changesNow(editOf(shown, { name: 'Support' }), shown, now)).to.eql({});
  });

  it('is none where that was the same field', () => {
    const now = { ...shown, name: 'Desk' };
    expect(changesNow(editOf(shown, entered), shown, now)).to.equal(undefined);
  });
});
