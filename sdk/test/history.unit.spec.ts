import { expect } from 'chai';
import type { Gap, HistoryOptions, Message } from '../src/index.js';
import { rejection, topic, useHarness } from './support/harness.js';
import { withHistory } from './support/record.js';
import type { Frame, Peer } from './support/scriptedBroker.js';

const at = 1_785_000_000_000;

describe('history', () => {
  const harness = useHarness();

  const keptAt = (position: string) => ({
    ...{ id: `id-${position}`, at, from: null, position },
    ...{ filter: null, data: position },
  });

  /** Takes a question and answers it with the messages at these positions. */
  const answer = async (
    peer: Peer,
    positions: readonly string[],
    rest: Readonly<Record<string, unknown>> = {},
  ): Promise<Frame> => {
    const frame = await peer.next('history');
    peer.send({ type: 'history', topic, ref: frame.ref, messages: positions.map(keptAt), ...rest });
    return frame;
  };

  const all = async (messages: AsyncIterable<Message>): Promise<unknown[]> => {
    const data: unknown[] = [];
    for await (const message of messages) data.push(message.data);
    return data;
  };

  it('[WS-HIST-12] yields messages as they were published, with their meta', async () => {
    const { client, peer } = await harness.connected({}, withHistory);
    const messages = client.history(topic);
    const first = messages.next();
    const { type, topic: asked, limit, before, after } = await peer.next('history');
    expect({ type, asked, limit, before, after }).to.deep.equal({
      ...{ type: 'history', asked: topic, limit: 100 },
      ...{ before: undefined, after: undefined },
    });
    const meta = { id: 'order-1', at, from: 'a1', position: 'p2' };
    peer.send({
      type: 'history',
      topic,
      ref: 'history 1',
      messages: [{ ...meta, filter: 'eu', data: { n: 1 } }],
    });
    expect(await first).to.deep.equal({
      done: false,
      value: { topic, data: { n: 1 }, filter: 'eu', meta, msgId: undefined, isReplay: true },
    });
    expect((await messages.next()).done).to.equal(true);
  });

  for (const [what, options, points] of [
    ['the newest first', {}, [undefined, { before: 'next' }]],
    ['those before a position', { before: 'p9' }, [{ before: 'p9' }, { before: 'next' }]],
    ['from the beginning', { after: '' }, [{ after: '' }, { after: 'next' }]],
  ] as const)
    it(`[WS-HIST-12] asks for page after page when the loop needs them: ${what}`, async () => {
      const { client, peer } = await harness.connected({}, withHistory);
      const seen = all(client.history(topic, options));
      expect(await answer(peer, ['p2', 'p1'], { next: 'next' })).to.deep.include({
        limit: 100,
        ...points[0],
      });
      expect(await answer(peer, ['p0'])).to.deep.include({ limit: 100, ...points[1] });
      expect(await seen).to.deep.equal(['p2', 'p1', 'p0']);
    });

  it('asks for no page that the loop does not need', async () => {
    const { client, peer } = await harness.connected({}, withHistory);
    const answering = answer(peer, ['p2', 'p1'], { next: 'p1' });
    for await (const { data } of client.history(topic)) if (data === 'p1') break;
    await answering;
    const subscribing = client.subscribe(topic, () => undefined);
    // Not a history frame.
    await peer.confirm();
    await subscribing;
  });

  it('has a limit of messages, which the answers of the server may fall short of', async () => {
    const { client, peer } = await harness.connected({}, withHistory);
    const seen = all(client.history(topic, { limit: 3 }));
    expect(await answer(peer, ['p4', 'p3'], { next: 'p3' })).to.include({ limit: 3 });
    expect(await answer(peer, ['p2'], { next: 'p2' })).to.include({ limit: 1, before: 'p3' });
    expect(await seen).to.deep.equal(['p4', 'p3', 'p2']);
  });

  it('asks for at most 1000 messages at once', async () => {
    const { client, peer } = await harness.connected({}, withHistory);
    const seen = all(client.history(topic, { limit: 1_500 }));
    expect(await answer(peer, ['p1'])).to.include({ limit: 1_000 });
    expect(await seen).to.deep.equal(['p1']);
  });

  it('says what is missing', async () => {
    const { client, peer } = await harness.connected({}, withHistory);
    const gaps: Gap[] = [];
    const seen = all(client.history(topic, { after: 'p1', onGap: (gap) => gaps.push(gap) }));
    await answer(peer, ['p5'], { gap: { reason: 'expired', after: 'p1', before: 'p5' } });
    expect(await seen).to.deep.equal(['p5']);
    expect(gaps).to.deep.equal([{ topic, reason: 'expired', after: 'p1', before: 'p5' }]);
  });

  it('tells several questions apart, and from a subscribe to the same topic', async () => {
    const { client, peer } = await harness.connected({}, withHistory);
    const subscribing = client.subscribe(topic, () => undefined);
    await peer.next('subscribe');
    const [first, second, third] = [all(client.history(topic)), all(client.history(topic)), rejected(client)];
    const refs = [await peer.next('history'), await peer.next('history'), await peer.next('history')];
    const [one, two, three] = refs.map(({ ref }) => ref);
    peer.send({ type: 'error', error: 'rate_limit_exceeded', code: 42910, topic, ref: three });
    peer.send({ type: 'history', topic, ref: two, messages: [keptAt('two')] });
    peer.send({ type: 'history', topic, ref: one, messages: [keptAt('one')] });
    peer.send({ type: 'subscribed', topic });
    expect(await first).to.deep.equal(['one']);
    expect(await second).to.deep.equal(['two']);
    expect(await third).to.include({ error: 'rate_limit_exceeded', code: 42910, topic });
    await subscribing;
  });

  it('[WS-HIST-11] rejects with the error of its question', async () => {
    const { client, peer } = await harness.connected({}, withHistory);
    const refused = rejected(client);
    const { ref } = await peer.next('history');
    peer.send({ type: 'error', error: 'history_disabled', code: 42951, topic, ref });
    expect(await refused).to.include({ error: 'history_disabled', code: 42951 });
  });

  it('rejects where the server has no history', async () => {
    const { client } = await harness.connected();
    expect(await rejected(client)).to.include({ error: 'unsupported_feature', topic });
  });

  it('rejects without a connection, with a lost one, after the time-out, and once the client is closed', async () => {
    const { client, peer } = await harness.connected({ timeouts: { requestMs: 66 } }, withHistory);
    const late = rejected(client);
    await peer.next('history');
    await harness.time.pass(66);
    expect((await late).error).to.equal('request_timeout');
    const lost = rejected(client);
    await peer.next('history');
    peer.drop();
    expect((await lost).error).to.equal('connection_lost');
    expect((await rejected(client)).error).to.equal('not_connected');
    await client.close();
    expect((await rejected(client)).error).to.equal('client_closed');
  });

  const rejected = (
    client: { history(topic: string, options?: HistoryOptions): AsyncIterable<Message> },
    options: HistoryOptions = {},
  ) => rejection(all(client.history(topic, options)));
});
