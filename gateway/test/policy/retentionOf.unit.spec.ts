import { expect } from 'chai';
import { retentionOf } from '../../src/policy/topicConfig.js';

describe('how long a topic is recorded', () => {
  it('[WS-RECORD-2] is what its logging says, a week for a tier, and not at all without', () => {
    const of = (logging: object | undefined) => retentionOf({ news: { logging } as object }, 'news');
    for (const retention of ['1d', '7d', '30d', '90d'])
      expect(of({ enabled: true, retention })).to.equal(retention);
    expect(of({ enabled: true })).to.equal('7d');
    expect(of({ enabled: true, retention: 'tier' })).to.equal('7d');
    expect(of({ enabled: true, replayEnabled: false })).to.equal('7d');
    for (const logging of [undefined, { enabled: false }, { enabled: false, retention: '30d' }])
      expect(of(logging)).to.equal(undefined);
    expect(retentionOf({}, 'news')).to.equal(undefined);
    expect(retentionOf({}, 'constructor')).to.equal(undefined);
  });
});
