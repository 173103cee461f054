import { expect } from 'chai';
import { BatchSender } from '../../src/publishing/batchSender.js';
import { PublishRefused } from '../../src/publishing/publishApi.js';
import { publishLines, type Tally } from '../../src/publishing/publishLines.js';
import { accepted, ScriptedPublishApi } from '../support/scriptedPublishApi.js';

async function* linesOf(text: string): AsyncGenerator<string> {
  yield* text.split('\n');
}

describe('publishLines', () => {
  const run = async (
    text: string,
    topic?: string,
    api = new ScriptedPublishApi(),
    tally: Tally = { published: 0, duplicates: 0, failed: 0 },
  ) => {
    const failures: [number, string][] = [];
    const { signal } = new AbortController();
    const sender = new BatchSender({ api, signal, attempts: 1, onTrouble: () => undefined });
    const onFailed = (line: number, why: string) => failures.push([line, why]);
    await publishLines(linesOf(text), { topic, idPrefix: 'run', sender, onFailed }, tally);
    return { sent: api.asked.flat(), failures, tally };
  };

  it('publishes messages with what they say, and an id of their line where they have none', async () => {
    const own = { topic: 'a/b/d', base64: 'wA==', id: 'mine', qos: 2, filters: ['eu'] };
    const { sent, tally } = await run(`{"topic":"a/b/c","data":{"n":1}}\n\n${JSON.stringify(own)}\n`);
    expect(sent).to.deep.equal([{ topic: 'a/b/c', data: { n: 1 }, id: 'run:1' }, own]);
    expect(tally).to.deep.equal({ published: 2, duplicates: 0, failed: 0 });
  });

  it('gives the id of its line to a message whose id is null, which the API takes for none', async () => {
    const { sent } = await run('{"topic":"a/b/c","data":1,"id":null}');
    expect(sent.map(({ id }) => id)).to.deep.equal(['run:1']);
  });

  it('takes each line for the data where a topic is named, whatever it looks like', async () => {
    const { sent } = await run('1\n"two"\n{"topic":"x","data":3}\nnull', 'a/b/c');
    expect(sent.map(({ data }) => data)).to.deep.equal([1, 'two', { topic: 'x', data: 3 }, null]);
    expect(new Set(sent.map(({ topic }) => topic))).to.deep.equal(new Set(['a/b/c']));
    expect(sent.map(({ id }) => id)).to.deep.equal(['run:1', 'run:2', 'run:3', 'run:4']);
  });

  it('tells the lines that are no messages, and goes on', async () => {
    const { sent, failures, tally } = await run('{"topic":\n[1]\n{"data":1}\n{"topic":"a/b/c","data":4}');
    expect(failures.map(([line]) => line)).to.deep.equal([1, 2, 3]);
    expect(failures[0]?.[1]).to.equal('not JSON');
    expect(sent.map(({ id }) => id)).to.deep.equal(['run:4']);
    expect(tally).to.deep.equal({ published: 1, duplicates: 0, failed: 3 });
  });

  it('tells the lines that are refused, and counts duplicates', async () => {
    const api = new ScriptedPublishApi().next((sent) => ({
      is: 'answered',
      results: [
        { error: 'unknown_topic', hint: 'No such room' },
        { ...accepted(sent[1] as never), duplicate: true },
      ],
    }));
    const { failures, tally } = await run('1\n2', 'a/b/c', api);
    expect(failures).to.deep.equal([[1, 'unknown_topic: No such room']]);
    expect(tally).to.deep.equal({ published: 1, duplicates: 1, failed: 1 });
  });

  it('counts what was published of a batch before the API refused the rest', async () => {
    const api = new ScriptedPublishApi().next((sent) => ({
      is: 'answered',
      results: [accepted(sent[0] as never), { error: 'broker_unavailable' }],
    }));
    api.usual = () => ({ is: 'unsettled', why: 'away', afterMs: 0 });
    const tally: Tally = { published: 0, duplicates: 0, failed: 0 };
    const error = await run('1\n2', 'a/b/c', api, tally).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(PublishRefused);
    expect(tally).to.deep.equal({ published: 1, duplicates: 0, failed: 0 });
  });
});
