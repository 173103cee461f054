import { Buffer } from 'node:buffer';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type {
  ForLeader,
  RecordHeaders,
  WriteAnswers,
} from '../../../src/adapters/message-bus/kafka/kafkaClient.js';
import { partitionOf, RepeatedRecords } from '../../../src/adapters/message-bus/kafka/recordFormat.js';
import { TopicSender, type TopicSenderOptions } from '../../../src/adapters/message-bus/kafka/topicSender.js';
import { unknownOffset, type Acknowledgement } from '../../../src/ports/messageBus.js';
import { eventually } from '@roomwire/testing/run/eventually';

interface Attempt {
  readonly acks: number | undefined;
  readonly leader: number;
  readonly partitions: readonly number[];
  readonly values: readonly string[];
  readonly headers: readonly (RecordHeaders | undefined)[];
  readonly succeed: (firstOffset?: number) => void;
  /** All partitions but these have stored their records. */
  readonly refuse: (...partitions: readonly number[]) => void;
  readonly refuseWith: (type: string, ...partitions: readonly number[]) => void;
  readonly fail: (error?: Error) => void;
}

const outcomeOf = (sent: Promise<number>): Promise<string> => sent.then(() => 'stored', String);
const unavailable = 'EngineUnavailable: The message bus cannot be reached';

describe('TopicSender', () => {
  let attempts: Attempt[];
  let sender: TopicSender;
  let isReachable: boolean;
  let leaders: (number | undefined)[];
  let inSyncReplicas: number;
  let written: number;
  let doubts: number;

  const write = (leader: number, { acks, partitions }: ForLeader): Promise<WriteAnswers> =>
    new Promise((resolve, reject) => {
      const messages = partitions.flatMap((each) => each.messages);
      const refuseWith = (type: string, ...refused: readonly number[]): void =>
        resolve(new Map(refused.map((partition) => [partition, Object.assign(new Error(type), { type })])));
      attempts.push({
        acks,
        leader,
        partitions: partitions.map(({ partition }) => partition),
        values: messages.map(({ value }) => String(value)),
        headers: messages.map(({ headers }) => headers),
        succeed: (firstOffset) =>
          resolve(new Map(partitions.map(({ partition }) => [partition, firstOffset ?? 0]))),
        refuse: (...refused) => refuseWith('NOT_ENOUGH_REPLICAS', ...refused),
        refuseWith,
        fail: (error = new Error('Away')) => reject(error),
      });
    });
  const shapeOf = (partitions: number) => () => Promise.resolve({ partitions, fewestInSync: 2 });
  const create = (options: Partial<TopicSenderOptions> = {}): TopicSender =>
    new TopicSender({
      topic: 'numbers',
      shape: shapeOf(1),
      leaders: async () =>
        leaders.map((leader) => (leader === undefined ? undefined : { leader, replicas: 3, inSyncReplicas })),
      write,
      reachability: {
        get isReachable() {
          return isReachable;
        },
        written: () => void (written += 1),
        writesDoubted: () => void (doubts += 1),
      },
      maxRecordBytes: 1_000,
      withinMs: 10_000,
      maxQueuedBytes: 10_000,
      ...options,
    });
  const send = (value: unknown, acknowledgement: Acknowledgement = 'stored'): Promise<number> =>
    sender.send({ key: Buffer.from('a'), value: Buffer.from(String(value)) }, acknowledgement);
  const attempt = async (n: number): Promise<Attempt> => {
    await eventually(() => attempts.length >= n);
    return attempts[n - 1] as Attempt;
  };

  beforeEach(() => {
    attempts = [];
    isReachable = true;
    leaders = [1];
    inSyncReplicas = 2;
    [written, doubts] = [0, 0];
    sender = create();
  });
  afterEach(() => {
    // Whatever a test leaves on its way.
    for (const { succeed } of attempts) succeed();
  });

  it('gives each traced record its own header, and the first of a send both', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const record = { key: Buffer.from('a'), value: Buffer.from('1') };
    void sender.send({ ...record, headers: { traceparent: Buffer.from(traceparent) } }, 'stored');
    void sender.send(record, 'stored');
    void sender.send({ ...record, headers: { traceparent: Buffer.from(traceparent) } }, 'stored');
    const { headers, succeed } = await attempt(1);
    expect(headers.map((of) => Object.keys(of ?? {}))).to.eql([
      ['traceparent', 'roomwire-id'],
      [],
      ['traceparent'],
    ]);
    expect(String(headers[2]?.['traceparent'])).to.equal(traceparent);
    succeed();
  });

  it('counts the header of a trace in the pending bytes', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const value = Buffer.alloc(1_000 - 1 - 70);
    const record = { key: Buffer.from('a'), value };
    const sent = sender.send(record, 'stored');
    (await attempt(1)).succeed();
    expect(await outcomeOf(sent)).to.equal('stored');
    expect(
      await outcomeOf(
        sender.send({ ...record, headers: { traceparent: Buffer.from(traceparent) } }, 'stored'),
      ),
    ).to.include('RangeError');
  });

  it('has one batch in flight, and batches what arrives meanwhile', async () => {
    const sent = [1, 2].map((value) => send(value));
    const first = await attempt(1);
    sent.push(...[3, 4, 5].map((value) => send(value)));
    await pause(5);
    expect(attempts).to.have.lengthOf(1);
    first.succeed();
    (await attempt(2)).succeed();
    await Promise.all(sent);
    expect(attempts.map(({ values }) => values)).to.deep.equal([
      ['1', '2'],
      ['3', '4', '5'],
    ]);
  });

  it('waits for all replicas as soon as one record of a batch requires it', async () => {
    await send(1, 'none');
    (await attempt(1)).succeed();
    await sender.flush();
    await send(2, 'none');
    void send(3, 'stored');
    (await attempt(2)).succeed();
    expect(attempts.map(({ acks }) => acks)).to.deep.equal([1, -1]);
  });

  it('repeats a failed batch unchanged, before anything else', async () => {
    const sent = [send(1), send(2)];
    const first = await attempt(1);
    sent.push(send(3));
    first.fail();
    (await attempt(2)).fail();
    (await attempt(3)).succeed();
    (await attempt(4)).succeed();
    await Promise.all(sent);
    expect(attempts.map(({ values }) => values)).to.deep.equal([['1', '2'], ['1', '2'], ['1', '2'], ['3']]);
  });

  it('resolves with the offset of each record', async () => {
    const sent = [send(1), send(2)];
    (await attempt(1)).succeed(40);
    expect(await Promise.all(sent)).to.eql([40, 41]);
    const later = [send(3), send(4)];
    (await attempt(2)).fail();
    (await attempt(3)).succeed(50);
    expect(await Promise.all(later)).to.eql([50, 51]);
    expect(await send(5, 'none')).to.equal(unknownOffset);
  });

  it('resolves with its own offset where the record before it was given up meanwhile', async () => {
    sender = create({ withinMs: 1_000 });
    const early = outcomeOf(send(1));
    await pause(600);
    const late = send(2);
    const first = await attempt(1);
    first.fail();
    const second = await attempt(2);
    expect(second.values).to.eql(['1']);
    expect(await early).to.equal(unavailable);
    second.succeed(7);
    (await attempt(3)).succeed(8);
    expect(await late).to.equal(8);
  });

  it('fails records that could not be stored in time, while an attempt hangs, and those after them', async () => {
    sender = create({ withinMs: 300 });
    const sent = [send(1)];
    await attempt(1);
    sent.push(send(2));
    expect(await Promise.all(sent.map(outcomeOf))).to.deep.equal([unavailable, unavailable]);
    sent.push(send(3));
    attempts[0]?.fail();
    (await attempt(2)).succeed();
    expect(await outcomeOf(sent[2] as Promise<number>)).to.equal('stored');
    expect(attempts[1]?.values, 'the others are not sent any more').to.deep.equal(['3']);
  });

  it('continues the sequence after a record that expired before a retry', async () => {
    let open = (_partitions: number): void => undefined;
    const partitions = new Promise<number>((resolve) => {
      open = resolve;
    });
    sender = create({
      withinMs: 3_000,
      shape: async () => ({ partitions: await partitions, fewestInSync: 2 }),
    });
    const sent = [send(1)];
    // The second one has time left when that of the first is over.
    await pause(1_500);
    sent.push(send(2), send(3));
    open(1);
    const first = await attempt(1);
    expect(await outcomeOf(sent[0] as Promise<number>)).to.equal(unavailable);
    first.fail();
    (await attempt(2)).succeed();
    await Promise.all(sent.slice(1));
    expect(attempts.map(({ values }) => values)).to.deep.equal([
      ['1', '2', '3'],
      ['2', '3'],
    ]);
    const stored = (n: number, offset: number): boolean[] =>
      (attempts[n]?.headers ?? []).map((headers, at) => copies.isRepeated(offset + at, headers));
    const copies = new RepeatedRecords();
    expect(stored(1, 0)).to.deep.equal([false, false]);
    expect(stored(0, 2), 'the first attempt, stored late').to.deep.equal([true, true, true]);
  });

  it('does not repeat what the broker refuses', async () => {
    const sent = send(1);
    (await attempt(1)).fail(Object.assign(new Error('Too large'), { type: 'MESSAGE_TOO_LARGE' }));
    expect(await outcomeOf(sent)).to.equal('Error: Too large');
    void send(2);
    expect((await attempt(2)).values).to.deep.equal(['2']);
  });

  it('refuses a record that is too large, and any record when too much is pending', async () => {
    expect(await outcomeOf(send('x'.repeat(1_000)))).to.match(
      /^RangeError: A record of 10\d\d bytes is too large/,
    );
    sender = create({ maxQueuedBytes: 300 });
    const sent = [send('x'.repeat(100)), send('y'.repeat(100))];
    expect(await outcomeOf(sent[1] as Promise<number>)).to.equal(unavailable);
    (await attempt(1)).succeed();
    await sender.flush();
    const later = send('z'.repeat(100));
    (await attempt(2)).succeed();
    await later;
  });

  it('considers no record lost while the brokers are unavailable', async () => {
    isReachable = false;
    expect(await outcomeOf(send(1, 'none'))).to.equal(unavailable);
    const sent = send(2, 'stored');
    (await attempt(1)).succeed();
    await sent;
  });

  it('passes on why the topic is missing', async () => {
    sender = create({ shape: () => Promise.reject(new Error('No such topic')) });
    expect(await outcomeOf(send(1))).to.equal('Error: No such topic');
    await sender.flush();
  });

  it('says nothing of the bus by its only partition, unless that takes records', async () => {
    const sent = send(1);
    (await attempt(1)).refuse(0);
    await attempt(2);
    expect([sender.takesRecords, doubts]).to.deep.equal([undefined, 0]);
    attempts[1]?.succeed();
    await sent;
    expect(sender.takesRecords).to.equal(true);
  });

  describe('with several partitions', () => {
    /** A key of each partition. */
    const keys = [0, 1, 2].map((partition) => {
      for (let n = 0; ; n += 1)
        if (partitionOf(Buffer.from(`${n}`), 3) === partition) return Buffer.from(`${n}`);
    });
    const sendTo = (
      partition: number,
      value: number,
      acknowledgement: Acknowledgement = 'stored',
    ): Promise<number> =>
      sender.send({ key: keys[partition] as Buffer, value: Buffer.from(String(value)) }, acknowledgement);
    const valuesOf = (): (readonly string[])[] => attempts.map(({ values }) => values);

    beforeEach(() => {
      leaders = [1, 1, 1];
      sender = create({ shape: shapeOf(3) });
    });

    it('repeats what one partition has refused alone, before what came after it, while others go on', async () => {
      const sent = [sendTo(0, 1), sendTo(1, 2), sendTo(2, 3)];
      const first = await attempt(1);
      sent.push(sendTo(0, 4), sendTo(1, 5), sendTo(2, 6));
      first.refuse(1);
      expect(await Promise.all([sent[0], sent[2]].map((each) => outcomeOf(each as Promise<number>)))).to.eql([
        'stored',
        'stored',
      ]);
      (await attempt(2)).succeed();
      (await attempt(3)).refuse(1);
      (await attempt(4)).succeed();
      (await attempt(5)).succeed();
      await Promise.all(sent);
      expect(valuesOf()).to.deep.equal([['1', '2', '3'], ['4', '6'], ['2'], ['2'], ['5']]);
    });

    it('sends to each leader by itself, so that one that hangs holds up no other', async () => {
      leaders = [1, 2, 1];
      const sent = [sendTo(0, 1), sendTo(1, 2), sendTo(2, 3)];
      const [first, hanging] = [await attempt(1), await attempt(2)];
      expect([first, hanging].map(({ leader, values }) => [leader, values])).to.deep.equal([
        [1, ['1', '3']],
        [2, ['2']],
      ]);
      first.succeed();
      sent.push(sendTo(0, 4), sendTo(1, 5));
      (await attempt(3)).succeed();
      await sent[3];
      hanging.succeed();
      (await attempt(4)).succeed();
      await Promise.all(sent);
      expect(valuesOf().slice(2)).to.deep.equal([['4'], ['5']]);
    });

    it('sends what is for a partition without a leader when it has one', async () => {
      leaders = [1, undefined, 1];
      const sent = [sendTo(0, 1), sendTo(1, 2)];
      (await attempt(1)).succeed();
      await sent[0];
      leaders = [1, 3, 1];
      const second = await attempt(2);
      expect([second.leader, second.values]).to.deep.equal([3, ['2']]);
      second.succeed();
      await sent[1];
    });

    it('follows a partition to another leader with what failed', async () => {
      leaders = [1, 2, 1];
      const sent = sendTo(1, 1);
      const first = await attempt(1);
      leaders = [1, 3, 1];
      first.fail();
      // The leader that was known is asked until the other one is found.
      for (let n = 2; attempts.at(-1)?.leader !== 3; n += 1) {
        const next = await attempt(n);
        if (next.leader !== 3) next.fail();
      }
      attempts.at(-1)?.succeed();
      await sent;
      expect(attempts.at(-1)?.values).to.deep.equal(['1']);
    });

    it('repeats nothing that is on the leader, though its replicas are gone', async () => {
      const sent = sendTo(0, 1);
      (await attempt(1)).refuseWith('NOT_ENOUGH_REPLICAS_AFTER_APPEND', 0);
      expect(await outcomeOf(sent)).to.equal(unavailable);
      void sendTo(0, 2);
      expect((await attempt(2)).values).to.deep.equal(['2']);
    });

    it('refuses what would be lost in a partition that takes nothing, and nothing else', async () => {
      const sent = sendTo(1, 1);
      (await attempt(1)).refuse(1);
      await attempt(2);
      expect(await outcomeOf(sendTo(1, 2, 'none'))).to.equal(unavailable);
      expect(await outcomeOf(sendTo(0, 3, 'none'))).to.equal('stored');
      attempts[1]?.succeed();
      await sent;
      expect(await outcomeOf(sendTo(1, 4, 'none'))).to.equal('stored');
    });

    it('doubts that anything can be written when the last of its partitions refuses', async () => {
      const sent = [sendTo(0, 1), sendTo(1, 2), sendTo(2, 3)];
      (await attempt(1)).refuse(0, 1);
      await sent[2];
      expect([sender.takesRecords, doubts, written]).to.deep.equal([true, 0, 1]);
      for (let n = 2; sender.takesRecords; n += 1) {
        if (n === 2) sent.push(sendTo(2, 4));
        (await attempt(n)).refuse(0, 1, 2);
        await pause(1);
      }
      expect(doubts).to.be.at.least(1);
      const before = written;
      let isStored = false;
      void Promise.all(sent).then(() => (isStored = true));
      await eventually(() => {
        for (const { succeed } of attempts) succeed();
        return isStored;
      });
      expect(written).to.be.above(before);
      expect(sender.takesRecords).to.equal(true);
    });

    it('knows partitions that nothing was sent to by their leaders and replicas', async () => {
      leaders = [1, undefined, undefined];
      const sent = sendTo(0, 1);
      (await attempt(1)).succeed();
      await sent;
      expect(sender.takesRecords).to.equal(true);
      inSyncReplicas = 1;
      await sender.look();
      expect(sender.takesRecords).to.equal(false);
      [inSyncReplicas, leaders] = [2, [undefined, undefined, undefined]];
      await sender.look();
      expect(sender.takesRecords).to.equal(false);
    });

    it('ends what waits for a partition that stays without a leader', async () => {
      leaders = [1, undefined, 1];
      sender = create({ shape: shapeOf(3), withinMs: 100 });
      expect(await outcomeOf(sendTo(1, 1))).to.equal(unavailable);
      await sender.flush();
      expect(attempts).to.have.lengthOf(0);
    });
  });
});
