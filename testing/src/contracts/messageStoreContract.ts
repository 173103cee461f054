import { expect } from 'chai';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { MessageStore, RecordedMessage, ReplayRange } from '@roomwire/shared/ports/messageStore';
import { retentionClasses, retentionMs } from '@roomwire/shared/wire/bus/recordedMessages';
import { ManualClock } from '../fakes/manualClock.js';
import { liveMessage } from '../builders/liveMessage.js';

export interface MessageStoreUnderTest {
  readonly store: MessageStore;
  /** Closes the store and opens another one on the same data. */
  reopen(): Promise<MessageStore>;
  dispose(): Promise<void>;
}

const topic = 'project/app/_/room/news';
const everything: ReplayRange = { sinceMs: 0, limit: 1_000_000 };

const messageOf = (id: string, fields: Partial<LiveMessage> = {}): LiveMessage =>
  liveMessage({ id, topic, ...fields });

const numbered = (count: number, prefix = 'm'): LiveMessage[] =>
  Array.from({ length: count }, (_, n) => messageOf(`${prefix}${n + 1}`));

const idsOf = (recorded: readonly RecordedMessage[]): string[] => recorded.map(({ message }) => message.id);

/** What every message store promises. The store is opened with the clock that it is given. */
export const messageStoreContract = (
  name: string,
  open: (clock: ManualClock) => Promise<MessageStoreUnderTest>,
): void => {
  describe(`the message store on ${name}`, () => {
    let clock: ManualClock;
    let underTest: MessageStoreUnderTest;
    let store: MessageStore;

    beforeEach(async () => {
      clock = new ManualClock(Date.now());
      underTest = await open(clock);
      store = underTest.store;
    });

    afterEach(() => underTest.dispose());

    const read = async (range: Partial<ReplayRange> = {}, of = topic, from = store) => {
      const { count, pages } = await from.replay(of, { ...everything, ...range });
      const all: RecordedMessage[] = [];
      for await (const page of pages) all.push(...page);
      expect(all).to.have.lengthOf(count);
      return all;
    };

    it('is empty for a topic that was not recorded', async () => {
      await store.append(messageOf('a'), '7d');
      expect(await read({}, 'project/app/_/room/other')).to.deep.equal([]);
      expect(await read({}, 'project/app/_/other/news')).to.deep.equal([]);
      expect(await read({ limit: 0 })).to.deep.equal([]);
    });

    it('returns a message unchanged, with the time of its recording', async () => {
      const message = messageOf('id', {
        qos: 2,
        filters: ['a', 'ü'],
        body: Uint8Array.of(0x81, 0xa1, 0x61, 0x01),
        retention: { stamp: 's', appId: 'a', roomId: 'r', accessScopeId: null },
      });
      await store.append(message, '30d');
      const [recorded] = await read();
      expect({ ...recorded?.message, body: new Uint8Array(recorded?.message.body ?? []) }).to.deep.equal(
        message,
      );
      expect(recorded?.recordedAt).to.equal(clock.now());
    });

    it('keeps the order of concurrent appends, and separates topics of a room', async () => {
      const messages = numbered(500);
      const other = `${topic}:other`;
      await Promise.all(
        messages.flatMap((message) => [
          store.append(message, '7d'),
          store.append({ ...message, topic: other }, '7d'),
        ]),
      );
      expect(idsOf(await read())).to.deep.equal(messages.map(({ id }) => id));
      expect((await read({}, other)).map(({ message }) => message.topic)).to.deep.equal(
        messages.map(() => other),
      );
    });

    it('replays the newest messages, the oldest first', async () => {
      await Promise.all(numbered(50).map((message) => store.append(message, '7d')));
      expect(idsOf(await read({ limit: 3 }))).to.deep.equal(['m48', 'm49', 'm50']);
    });

    it('replays the messages since a time, that time included', async () => {
      const times: number[] = [];
      for (const message of numbered(5)) {
        times.push(clock.now());
        await store.append(message, '7d');
        clock.pass(1_000);
      }
      expect(idsOf(await read({ sinceMs: times[2] as number }))).to.deep.equal(['m3', 'm4', 'm5']);
      expect(idsOf(await read({ sinceMs: (times[2] as number) + 1 }))).to.deep.equal(['m4', 'm5']);
      expect(idsOf(await read({ sinceMs: times[1] as number, limit: 2 }))).to.deep.equal(['m4', 'm5']);
      expect(await read({ sinceMs: clock.now() })).to.deep.equal([]);
    });

    it('keeps each message for the period of its retention class, and no longer', async () => {
      for (const retention of retentionClasses) await store.append(messageOf(retention), retention);
      const recordedAt = clock.now();
      const remaining: string[] = [...retentionClasses];
      for (const retention of retentionClasses) {
        clock.set(recordedAt + retentionMs(retention) - 1);
        expect(idsOf(await read())).to.have.members(remaining);
        clock.set(recordedAt + retentionMs(retention));
        remaining.shift();
        expect(idsOf(await read())).to.have.members(remaining);
      }
    });

    it('keeps the order of time when the class of a topic changes', async () => {
      const classes = ['7d', '30d', '1d', '30d', '7d', '7d', '90d'] as const;
      for (const [n, retention] of classes.entries()) {
        await store.append(messageOf(`m${n + 1}`), retention);
        clock.pass(1);
      }
      expect(idsOf(await read())).to.deep.equal(classes.map((_, n) => `m${n + 1}`));
      expect(idsOf(await read({ limit: 4 }))).to.deep.equal(['m4', 'm5', 'm6', 'm7']);
    });

    it('delivers large messages a few at a time', async function () {
      this.timeout(60_000);
      const messages = numbered(20).map((message, n) => ({
        ...message,
        body: new Uint8Array(921_600).fill(n),
      }));
      for (const message of messages) await store.append(message, '1d');
      const { count, pages } = await store.replay(topic, everything);
      expect(count).to.equal(20);
      const ids: string[] = [];
      for await (const page of pages) {
        expect(page.reduce((bytes, { message }) => bytes + message.body.length, 0)).to.be.lessThan(5_000_000);
        for (const { message } of page) {
          expect(message.body).to.have.lengthOf(921_600);
          expect(message.body.at(-1)).to.equal(ids.length);
          ids.push(message.id);
        }
      }
      expect(ids).to.deep.equal(messages.map(({ id }) => id));
    });

    it('replays thousands of messages between those of other topics in the room', async function () {
      this.timeout(60_000);
      const messages = numbered(5_000);
      await Promise.all(
        messages.map((message, n) =>
          store.append(n % 3 === 0 ? message : { ...message, topic: `${topic}:other` }, '7d'),
        ),
      );
      const expected = messages.filter((_, n) => n % 3 === 0).map(({ id }) => id);
      expect(idsOf(await read())).to.deep.equal(expected);
      expect(idsOf(await read({ limit: 1_000 }))).to.deep.equal(expected.slice(-1_000));
    });

    it('does not replay messages that are recorded after the replay has begun', async () => {
      await store.append(messageOf('before'), '7d');
      const { count, pages } = await store.replay(topic, everything);
      await store.append(messageOf('after'), '7d');
      const ids: string[] = [];
      for await (const page of pages) ids.push(...idsOf(page));
      expect([count, ids]).to.deep.equal([1, ['before']]);
    });

    it('keeps everything when it is reopened, and continues after it', async () => {
      for (const message of numbered(3)) await store.append(message, '7d');
      const reopened = await underTest.reopen();
      clock.pass(1);
      await reopened.append(messageOf('m4'), '7d');
      expect(idsOf(await read({}, topic, reopened))).to.deep.equal(['m1', 'm2', 'm3', 'm4']);
    });

    it('keeps what was accepted before it was closed', async () => {
      const appended = Promise.all(numbered(200).map((message) => store.append(message, '7d')));
      const reopened = await underTest.reopen();
      await appended;
      expect(await read({}, topic, reopened)).to.have.lengthOf(200);
    });

    it('rejects when it is closed', async () => {
      await store.append(messageOf('a'), '7d');
      await store.close();
      for (const attempt of [store.append(messageOf('b'), '7d'), store.replay(topic, everything)]) {
        const error = await attempt.then(
          () => undefined,
          (reason: unknown) => reason,
        );
        expect(error).to.be.instanceOf(EngineUnavailable);
      }
    });
  });
};
