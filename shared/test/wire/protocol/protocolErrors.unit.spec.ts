import { expect } from 'chai';
import {
  protocolErrors,
  renderProtocolError,
  type ProtocolErrorName,
} from '../../../src/wire/protocol/protocolErrors.js';

const context = { topic: 'a/b/c', msgRef: 'r' };
const fields = (frame: object) =>
  Object.fromEntries(Object.entries(frame).filter(([, value]) => value !== undefined));

describe('a protocol error', () => {
  it('[WS-VER-2] in protocol 2 has a code, a hint and the msgRef', () => {
    expect(fields(renderProtocolError('unknownTopic', 2, context))).to.deep.equal({
      type: 'error',
      error: 'unknown_topic',
      code: 42940,
      hint: protocolErrors.unknownTopic.hint,
      ...context,
    });
  });

  it('[WS-VER-1] in protocol 1 has none of them, and not_authorized instead of unknown_topic', () => {
    expect(fields(renderProtocolError('unknownTopic', 1, context))).to.deep.equal({
      type: 'error',
      error: 'not_authorized',
      topic: 'a/b/c',
    });
    for (const name of Object.keys(protocolErrors)) {
      expect(fields(renderProtocolError(name as ProtocolErrorName, 1, context))).to.not.have.any.keys(
        'code',
        'hint',
        'msgRef',
      );
    }
  });

  it('[WS-PUB-5] names the largest size', () => {
    expect(renderProtocolError('messageTooLarge', 2)).to.include({ code: 42930, maxSizeBytes: 921_600 });
  });

  it('[WS-PRES-15] names the room of a presence where a connection is in too many', () => {
    const inRoom = { topic: 'hall', roomId: 'hall' };
    expect(fields(renderProtocolError('subscriptionLimit', 2, inRoom))).to.deep.equal({
      ...{ type: 'error', error: 'subscription_limit', code: 42970 },
      ...inRoom,
    });
    expect(fields(renderProtocolError('unknownTopic', 2, inRoom))).to.not.have.property('roomId');
  });

  it('has the text of the contract', () => {
    expect(Object.values(protocolErrors).map(({ error }) => error)).to.have.members([
      'not_authenticated',
      'already_authenticated',
      'invalid_frame',
      'unknown_type',
      'observer_read_only',
      'schedule_limit_exceeded',
      'monthly_quota_exceeded',
      'rate_limit_exceeded',
      'message_too_large',
      'message_too_large',
      'message_too_large',
      'not_authorized',
      'lobby_too_large',
      'unknown_topic',
      'unknown_actor',
      'unknown_scope',
      'publish_conflict',
      'history_disabled',
      'continuity_lost',
      'not_subscribed',
      'invalid_filter_chars (/, #, +, | not allowed)',
      'too_many_filters (max 100)',
      'subscription_limit',
      'memory_limit_exceeded',
      'broker_unavailable',
    ]);
  });
});
