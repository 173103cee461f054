import { expect } from 'chai';
import { BatchSender } from '../../src/publishing/batchSender.js';
import { PublishRefused, type MessageResult } from '../../src/publishing/publishApi.js';
import {
  accepted,
  malformed,
  ScriptedPublishApi,
  unsettled,
  type SentMessage,
} from '../support/scriptedPublishApi.js';

const messages = ['a', 'b', 'c', 'd', 'e'].map((id) => JSON.stringify({ topic: 'x/y/z', data: 1, id }));
const idsOf = (asked: readonly (readonly SentMessage[])[]): string[] =>
  asked.map((batch) => batch.map(({ id }) => id).join(''));

describe('BatchSender', () => {
  let api: ScriptedPublishApi;
  let waited: number[];
  let troubles: string[];

  beforeEach(() => {
    api = new ScriptedPublishApi();
    waited = [];
    troubles = [];
  });

  const senderWith = (attempts = 5, signal = new AbortController().signal): BatchSender =>
    new BatchSender({
      ...{ api, attempts, signal, onTrouble: (why) => troubles.push(why) },
      wait: (milliseconds) => Promise.resolve(void waited.push(milliseconds)),
    });

  it('sends them at once, and answers in their order', async () => {
    const results = await senderWith().send(messages);
    expect(results.map((result) => 'id' in result && result.id)).to.deep.equal(['a', 'b', 'c', 'd', 'e']);
    expect(idsOf(api.asked)).to.deep.equal(['abcde']);
    expect(troubles).to.deep.equal([]);
  });

  it('sends them again while the API is away, with the same ids, as late as it asks for', async () => {
    api.next(unsettled(7_000)).next(unsettled()).next(unsettled());
    await senderWith().send(messages);
    expect(idsOf(api.asked)).to.deep.equal(['abcde', 'abcde', 'abcde', 'abcde']);
    expect(waited).to.deep.equal([7_000, 2_000, 4_000]);
    expect(troubles[0]).to.equal('away; trying again in 7 s');
  });

  it('gives up after attempts that did not get on', async () => {
    for (let count = 0; count < 3; count += 1) api.next(unsettled());
    const error = await senderWith(3)
      .send(messages)
      .catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(PublishRefused);
    expect((error as Error).message).to.equal('Gave up after 3 attempts: away');
    expect(api.asked).to.have.length(3);
  });

  it('has told what became of the first ones when it gives up on the others', async () => {
    api.next(malformed).next((sent) => ({
      is: 'answered',
      results: sent.map((message) =>
        message.id === 'c' ? { error: 'broker_unavailable' } : accepted(message),
      ),
    }));
    api.usual = () => unsettled();
    const results: MessageResult[] = [];
    const error = await senderWith(2)
      .send(messages, results)
      .catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(PublishRefused);
    expect(results.map((result) => 'id' in result && result.id)).to.deep.equal(['a', 'b']);
  });

  for (const error of ['rate_limit_exceeded', 'broker_unavailable'])
    it(`sends again from the first ${error} on, so that none overtakes another`, async () => {
      api.next((sent) => ({
        is: 'answered',
        results: sent.map((message) => (message.id === 'c' ? { error } : accepted(message))),
      }));
      const results = await senderWith(2).send(messages);
      expect(idsOf(api.asked)).to.deep.equal(['abcde', 'cde']);
      expect(results).to.have.length(5);
      expect(waited).to.deep.equal([1_000]);
    });

  it('leaves the final refusal of one message to the caller', async () => {
    const refusal = { error: 'unknown_topic', hint: 'No such room' };
    api.next((sent) => ({
      is: 'answered',
      results: sent.map((message) => (message.id === 'b' ? refusal : accepted(message))),
    }));
    expect((await senderWith().send(messages))[1]).to.deep.equal(refusal);
    expect(api.asked).to.have.length(1);
  });

  it('finds the malformed ones among the others, and keeps the order', async () => {
    api.usual = (sent) =>
      sent.some(({ id }) => id === 'b' || id === 'e')
        ? malformed
        : { is: 'answered', results: sent.map(accepted) };
    const results = await senderWith().send(messages);
    const invalid = { error: 'invalid_message', hint: 'Validation failed' };
    expect([results[1], results[4]]).to.deep.equal([invalid, invalid]);
    expect(results.map((result) => ('id' in result ? result.id : '-')).join('')).to.equal('a-cd-');
    expect(waited).to.deep.equal([]);
  });

  it('rejects when the API refuses everything', async () => {
    api.next(new PublishRefused('Invalid API key'));
    const error = await senderWith()
      .send(messages)
      .catch((reason: unknown) => reason);
    expect((error as Error).message).to.equal('Invalid API key');
  });

  it('stops when its signal aborts', async () => {
    const stopping = new AbortController();
    api.next((sent) => {
      stopping.abort();
      return { ...unsettled(), why: `away with ${sent.length}` };
    });
    const error = await senderWith(5, stopping.signal)
      .send(messages)
      .catch((reason: unknown) => reason);
    expect((error as Error).name).to.equal('AbortError');
    expect(api.asked).to.have.length(1);
  });
});
