import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { liveMessage } from '@roomwire/testing/builders/liveMessage';
import { encodeGroupRecord } from '@roomwire/shared/wire/bus/groupRecord';
import { liveMessages, type LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { messageBody, messageHead } from '@roomwire/shared/wire/protocol/encodeFrames';
import { messageColumns, messageFacts } from '../src/facts/facts.js';

const acceptedAt = Date.UTC(2026, 0, 31, 12, 30);
const id = `${acceptedAt.toString(36).padStart(9, '0')}0000.AAAA`;
const data = { text: 'grüß', at: [1, 2, 3] };

const message = (over: Partial<LiveMessage> = {}): LiveMessage =>
  liveMessage({
    ...{ id, room: 'p1/app/_/lobby', topic: 'p1/app/_/lobby/chat', projectId: 'p1', publisher: 'a1' },
    body: messageBody(messageHead('app/lobby/chat'), encode(data)),
    ...over,
  });

const factOf = (record: Uint8Array, withPayloads = false) => {
  const fact = messageFacts(withPayloads).factOf(record, 42);
  return fact && Object.fromEntries(messageColumns.map(({ name }, n) => [name, fact[n]]));
};
const factOfMessage = (over: Partial<LiveMessage> = {}, withPayloads = false) =>
  factOf(liveMessages.codec.encode(message(over)), withPayloads);

describe('The fact of a message', () => {
  it('has place, time, publisher and size, and no content', () => {
    expect(factOfMessage()).to.eql({
      ...{ time: acceptedAt, id, project_id: 'p1', app: 'app', scope: null, room: 'lobby', topic: 'chat' },
      ...{ publisher: 'a1', qos: 1, retained: false, bytes: encode(data).length, data: null },
    });
  });

  it('has the content, as JSON, where that is configured', () => {
    expect(factOfMessage({}, true)?.['data']).to.equal(JSON.stringify(data));
  });

  it('has the size of the data only, without the frame around it', () => {
    const body = messageBody(messageHead('app/lobby/chat'), encode(data), 'eu', 'an id');
    expect(factOfMessage({ body })?.['bytes']).to.equal(encode(data).length);
  });

  it('has the scope of its actor', () => {
    expect(factOfMessage({ topic: 'p1/app/acme/lobby/chat' })).to.include({ scope: 'acme', room: 'lobby' });
  });

  it('marks a retained message', () => {
    const retention = { stamp: 's', appId: 'a', roomId: 'r', accessScopeId: null };
    expect(factOfMessage({ retention })).to.include({ retained: true });
  });

  it('has the time of the bus when the message has no id', () => {
    expect(factOfMessage({ id: '' })).to.include({ time: 42, id: '' });
  });

  it('is undefined for group commands, and an error for an unknown record', () => {
    const news = {
      kind: 'check',
      room: 'p1/app/_/lobby',
      topic: 'p1/app/_/lobby/chat',
      group: 'g',
      gatewayId: 'x',
      ref: 1,
    };
    expect(factOf(encodeGroupRecord(news as Parameters<typeof encodeGroupRecord>[0]))).to.equal(undefined);
    expect(() => factOf(encode([99, 'x']))).to.throw('known version');
    expect(() => factOfMessage({ body: encode({ type: 'message' }) })).to.throw('without data');
  });
});
