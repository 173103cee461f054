import { expect } from 'chai';
import { BatchSender } from '../../src/publishing/batchSender.js';
import { ingest, RecordRefused } from '../../src/ingest/ingest.js';
import { createRecordMapping } from '../../src/ingest/recordMapping.js';
import type { SourceRecord } from '../../src/ingest/sourceRecord.js';
import { accepted, ScriptedPublishApi, unsettled } from '../support/scriptedPublishApi.js';
import { FakeSource, sourceRecord } from '../support/sourceRecords.js';

describe('ingest', () => {
  const mapping = createRecordMapping({ topic: 't', to: 'a/b/c', value: 'json' });
  let api: ScriptedPublishApi;
  let passedOver: string[];

  beforeEach(() => {
    api = new ScriptedPublishApi();
    passedOver = [];
  });

  const run = async (source: FakeSource, passesOver = false): Promise<unknown> => {
    const { signal } = new AbortController();
    const wait = (): Promise<void> => Promise.resolve();
    try {
      await ingest({
        ...{ source, mapping, signal, passesOver },
        sender: new BatchSender({ api, signal, attempts: Infinity, onTrouble: () => undefined, wait }),
        onPassedOver: ({ offset }, why) => passedOver.push(`${offset} ${why}`),
      });
      return undefined;
    } catch (error) {
      return error;
    }
  };
  const published = (): string[] => api.asked.flat().map(({ id }) => id);
  const refusing =
    (refused: string, error: string) =>
    (messages: Parameters<ScriptedPublishApi['usual']>[0]): ReturnType<ScriptedPublishApi['usual']> => ({
      is: 'answered',
      results: messages.map((message) => (message.id === refused ? { error } : accepted(message))),
    });

  it('publishes records in the order of their partitions, and is done with them when they are accepted', async () => {
    const records = Array.from({ length: 230 }, (_, n) => sourceRecord(n >> 1, { partition: n % 2 }));
    const source = new FakeSource(...records);
    let answered = 0;
    api.usual = (messages) => {
      expect(source.finished).to.have.length(answered);
      answered += messages.length;
      return { is: 'answered', results: messages.map(accepted) };
    };
    expect(await run(source)).to.equal(undefined);
    const ids = records.map(({ partition, offset }) => `t:${partition}:${offset}`);
    expect(published()).to.deep.equal(ids);
    expect(source.finished.map((place) => `t:${place}`)).to.deep.equal(ids);
  });

  it('is not done with records while the API is away, and sends the same again', async () => {
    const source = new FakeSource(sourceRecord(0), sourceRecord(1));
    for (let count = 0; count < 20; count += 1)
      api.next(() => {
        expect(source.finished).to.deep.equal([]);
        return unsettled();
      });
    expect(await run(source)).to.equal(undefined);
    expect(api.asked).to.have.length(21);
    expect(new Set(published())).to.deep.equal(new Set(['t:0:0', 't:0:1']));
    expect(source.finished).to.deep.equal(['0:0', '0:1']);
  });

  it('leaves out records that delete their key', async () => {
    const source = new FakeSource(sourceRecord(0), sourceRecord(1, { value: null }), sourceRecord(2));
    expect(await run(source)).to.equal(undefined);
    expect(published()).to.deep.equal(['t:0:0', 't:0:2']);
  });

  const stopsAt = async (source: FakeSource, why: string, finished: readonly string[]): Promise<void> => {
    const error = (await run(source)) as RecordRefused;
    expect(error).to.be.instanceOf(RecordRefused);
    expect(error.record).to.include({ offset: 1 } satisfies Partial<SourceRecord>);
    expect(error.message).to.equal(why);
    expect(source.finished).to.deep.equal(finished);
  };

  it('ends at a record that cannot be mapped, behind those in front of it', async () => {
    const source = new FakeSource(sourceRecord(0), sourceRecord(1, { value: 'x' }), sourceRecord(2));
    await stopsAt(source, 'its value is not json', ['0:0']);
    expect(published()).to.deep.equal(['t:0:0']);
  });

  it('ends at a record that is refused, and is done with none behind it', async () => {
    api.next(refusing('t:0:1', 'unknown_topic'));
    await stopsAt(new FakeSource(...[0, 1, 2].map((n) => sourceRecord(n))), 'unknown_topic', ['0:0']);
  });

  it('passes over such records when it is told to', async () => {
    api.next(refusing('t:0:2', 'unknown_topic'));
    const bad = sourceRecord(1, { value: 'x' });
    const source = new FakeSource(sourceRecord(0), bad, sourceRecord(2), sourceRecord(3));
    expect(await run(source, true)).to.equal(undefined);
    expect(passedOver).to.deep.equal(['1 its value is not json', '2 unknown_topic']);
    expect(source.finished).to.deep.equal(['0:0', '0:2', '0:3']);
  });

  it('ends when the quota is used up, also then', async () => {
    api.next(refusing('t:0:1', 'monthly_quota_exceeded'));
    const source = new FakeSource(sourceRecord(0), sourceRecord(1));
    expect(await run(source, true)).to.be.instanceOf(RecordRefused);
    expect(source.finished).to.deep.equal(['0:0']);
  });
});
