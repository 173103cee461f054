import { expect } from 'chai';
import type { GroupConsumer } from '@roomwire/shared/adapters/message-bus/kafka/kafkaClient';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { eventually } from '@roomwire/testing/run/eventually';
import { joinGroup } from '../../src/ingest/joinGroup.js';
import { KafkaRecords } from '../../src/ingest/kafkaRecords.js';

describe('joining the group of an ingest', () => {
  let attempts: number;
  let records: KafkaRecords;

  beforeEach(() => {
    attempts = 0;
    const refused = {
      run: () => {
        attempts += 1;
        return Promise.reject(new Error('GROUP_AUTHORIZATION_FAILED'));
      },
      disconnect: () => Promise.resolve(),
    } as unknown as GroupConsumer;
    const { logger } = createRecordingLogger();
    const context = {
      client: () => ({ consumer: () => refused, bytesRead: 0, cut: () => undefined }),
      outcome: { answered: () => undefined, doubted: () => Promise.resolve(true) },
      logger,
    };
    records = new KafkaRecords({ topic: 't', groupId: 'g', starts: new Map(), context, logger });
  });
  afterEach(() => records.close());

  it('rejects with the last reason where it is not let in', async () => {
    const { signal } = new AbortController();
    const refusal = await joinGroup(records, { signal, withinMs: 100 }).catch(
      (error: Error) => error.message,
    );
    expect(refusal).to.include('The group cannot be joined').and.to.include('GROUP_AUTHORIZATION_FAILED');
  });

  it('ends when it is aborted', async () => {
    const stopping = new AbortController();
    const joining = joinGroup(records, { signal: stopping.signal, withinMs: 3_600_000 });
    const ended = joining.then(
      () => 'joined',
      () => 'ended',
    );
    await eventually(() => attempts > 1);
    stopping.abort();
    expect(await ended).to.equal('ended');
  });
});
