import type { History, Subscribed } from '../run/history.js';
import type { Beginning, RecordRead } from '../run/historyReads.js';
import { matches } from './checkMessages.js';
import { TopicRecords, type Stored, type TopicRecord } from './topicRecords.js';

/**
 * [WS-HIST-2] [WS-HIST-3] [WS-HIST-5] [WS-HIST-6] [WS-HIST-7] [WS-HIST-12] [WS-HIST-13]: what clients were told of the record, against what the
 * partitions of the bus hold. `news` is never changed, so that all of it has to be there.
 */
export const checkHistory = (history: History): void => {
  const records = new TopicRecords(history);
  checkPositions(history, records);
  for (const subscribed of history.subscriptions) {
    const record = records.of(subscribed.topic);
    const { beginning, group } = subscribed;
    if (record === undefined || beginning === undefined || group !== undefined) continue;
    new BeginningCheck(history, record, subscribed, beginning).run();
  }
  for (const read of history.recordReads) {
    const record = records.of(read.topic);
    if (record) checkRead(history, record, read);
  }
};

/** [WS-HIST-2] A message has the position of one of its copies, and every copy has one. */
const checkPositions = (history: History, records: TopicRecords): void => {
  for (const { connection, topic, id, meta, isReplay } of history.deliveries) {
    const message = history.published[id];
    const record = records.of(topic);
    if (meta === undefined || message === undefined || record === undefined) continue;
    const { position } = meta;
    const what = `connection ${connection} got message ${id} as ${position ?? 'nothing'}`;
    if (position === undefined) {
      // [WS-RETAIN-2] The last value has none.
      if (record.isSteady && (isReplay || !message.isRetained)) history.violated('WS-HIST-2', what);
      continue;
    }
    const offset = record.offsetOf(position);
    if (!message.copies.some((copy) => copy.offset === offset)) history.violated('WS-HIST-2', what);
  }
};

const numbers = (stored: readonly Stored[]): readonly number[] => stored.map(({ message }) => message.id);

const isPrefix = (part: readonly number[], whole: readonly number[]): boolean =>
  part.length <= whole.length && part.every((number, n) => number === whole[n]);

/** One subscription whose answer says where its live messages begin. */
class BeginningCheck {
  private readonly history: History;
  private readonly record: TopicRecord;
  private readonly subscribed: Subscribed;
  private readonly beginning: Beginning;
  private readonly boundary: number;

  constructor(history: History, record: TopicRecord, subscribed: Subscribed, beginning: Beginning) {
    this.history = history;
    this.record = record;
    this.subscribed = subscribed;
    this.beginning = beginning;
    this.boundary = record.offsetOf(beginning.position) ?? Number.NaN;
  }

  run(): void {
    const { beginning, record, boundary } = this;
    const { askedAt, position, refusesGaps, continuity, gap } = beginning;
    if (Number.isNaN(boundary)) return this.violated('WS-HIST-2', `it was told the position ${position}`);
    const missed = record.acknowledgedBefore(askedAt).find(({ offset }) => offset > boundary);
    if (missed) this.violated('WS-HIST-3', `message ${missed.message.id} is not before its live ones`);
    if ((continuity === 'gap') !== (gap !== undefined))
      this.violated('WS-HIST-5', `it was told ${continuity}`);
    if (refusesGaps && gap !== undefined) this.violated('WS-HIST-6', 'it was not refused');
    this.checkReplay();
    this.checkLive();
  }

  private get replayed(): readonly number[] {
    return this.subscribed.received.filter(({ isReplay }) => isReplay).map(({ id }) => id);
  }

  private checkReplay(): void {
    const { beginning, record } = this;
    const { from, continuity, gap, count, isReplayed, askedAt } = beginning;
    const isComplete = isReplayed || count === 0;
    const came = this.replayed.length;
    if (isReplayed ? count !== came : count < came)
      this.violated('WS-HIST-7', `${count} messages were announced, and ${came} replayed`);
    // The first copy may have been deleted before the second one was stored, which is then the first that there is.
    const isCertain = ({ message }: Pick<Stored, 'message'>): boolean =>
      record.isSteady || message.copies.length === 1;
    const before = this.eligible(-1, this.boundary).filter(isCertain);
    const certain = new Set(record.stored.filter(isCertain).map(({ message }) => message.id));
    const replayed = this.replayed.filter((id) => certain.has(id));
    const [first] = replayed;
    const start = before.findIndex(({ message }) => message.id === first);
    if (first !== undefined && start < 0)
      return this.violated('WS-HIST-7', `message ${first} is replayed, and is not in the record`);
    const rest = first === undefined ? [] : numbers(before.slice(start));
    if (isComplete ? rest.join() !== replayed.join() : !isPrefix(replayed, rest))
      this.violated('WS-HIST-7', `instead of ${rest.join()} it was replayed ${replayed.join()}`);
    const expected = this.expected(before);
    if (
      expected !== undefined &&
      (isComplete ? expected.join() !== replayed.join() : !isPrefix(replayed, expected))
    )
      this.violated(
        'WS-HIST-5',
        `${continuity}: instead of ${expected.join()} it was replayed ${replayed.join()}`,
      );
    this.checkGapEnd();
    const isOfTopic =
      from !== undefined && 'position' in from && record.offsetOf(from.position) !== undefined;
    if (gap !== undefined && record.isSteady && isOfTopic)
      this.violated('WS-HIST-5', `a gap (${gap.reason}) where nothing is missing`);
    if (from !== undefined && 'position' in from && !isOfTopic && gap?.reason !== 'unknown')
      this.violated('WS-HIST-5', `${continuity} from ${from.position}`);
    const deleted = replayed.find((id) => record.wasDeletedBefore(id, askedAt));
    if (deleted !== undefined) this.violated('WS-HIST-13', `message ${deleted} was deleted, and is replayed`);
  }

  /** [WS-HIST-5] Of a message that has two copies either may be the one that is left. */
  private checkGapEnd(): void {
    const { beginning, record, replayed } = this;
    const { gap } = beginning;
    const [first] = replayed;
    if (gap === undefined || first === undefined) return;
    const end = gap.before === undefined ? undefined : record.offsetOf(gap.before);
    if (!record.stored.some(({ message, offset }) => message.id === first && offset === end))
      this.violated('WS-HIST-5', `the gap ends before ${gap.before}, and not before message ${first}`);
  }

  /** What is replayed; undefined where a part of it may be missing. */
  private expected(before: readonly Stored[]): readonly number[] | undefined {
    const { from, continuity } = this.beginning;
    if (from === undefined) return [];
    const { isSteady } = this.record;
    if ('last' in from)
      return isSteady ? numbers(from.last === 0 ? [] : before.slice(-from.last)) : undefined;
    if ('since' in from)
      return isSteady ? numbers(before.filter(({ latestAt }) => latestAt >= from.since)) : undefined;
    if (continuity !== 'continuous') return undefined;
    const after = this.record.offsetOf(from.position) ?? -1;
    return numbers(before.filter(({ offset }) => offset > after));
  }

  /** Those that the record has for the subscription. */
  private eligible(after: number, upTo: number): readonly Stored[] {
    const { actor, own } = this.subscribed;
    return this.record.kept.filter(
      ({ offset, message }) =>
        offset > after &&
        offset <= upTo &&
        matches(this.subscribed, message) &&
        (own || message.actor !== actor),
    );
  }

  /** [WS-HIST-7] Behind the record comes everything, in its order. */
  private checkLive(): void {
    const { subscribed, record, boundary } = this;
    const { actor, received, until, from } = subscribed;
    const live = received.filter(({ isReplay, at }) => !isReplay && at < until).map(({ id }) => id);
    // What has a second copy may come as that one, and what is retained as the last value.
    const isPlain = ({ message }: Stored): boolean =>
      message.copies.length === 1 && !message.isRetained && message.actor !== actor;
    // What is not kept has no position: it may have come before.
    const isBehind = ({ offset, keptIn, at }: Stored): boolean =>
      offset > boundary && (keptIn !== undefined || at > from);
    const plain = record.stored.filter((stored) => isPlain(stored) && matches(subscribed, stored.message));
    const behind = numbers(plain.filter(isBehind));
    // One that goes on, and reads nothing of the record, may still get what was on its way.
    const goesOn = subscribed.isAgain && this.beginning.from === undefined;
    const isKnown = new Set(
      numbers(plain.filter((stored) => isBehind(stored) || (stored.keptIn !== undefined && !goesOn))),
    );
    const came = live.filter((id) => isKnown.has(id));
    const isWhole = until === Infinity ? came.join() === behind.join() : isPrefix(came, behind);
    if (!isWhole)
      this.violated('WS-HIST-7', `behind the record came ${came.join()} instead of ${behind.join()}`);
  }

  private violated(rule: string, what: string): void {
    const { connection, topic } = this.subscribed;
    const asked = JSON.stringify(this.beginning.from ?? null);
    const at = this.beginning.answeredAt.toFixed(0);
    this.history.violated(
      rule,
      `connection ${connection} on ${topic} from ${asked}, answered at ${at}: ${what}`,
    );
  }
}

/** [WS-HIST-12] A page has every message of its part of the record. */
const checkRead = (history: History, record: TopicRecord, read: RecordRead): void => {
  const { by, topic, askedAt, answeredAt, messages, next, before = '', after, limit, gap } = read;
  const violated = (rule: string, what: string): void =>
    history.violated(
      rule,
      `${by} read ${topic} (${JSON.stringify({ before, after, limit })}) at ${askedAt.toFixed(0)}: ${what}`,
    );
  const places = messages.map(({ position }) => record.offsetOf(position));
  const all = after === undefined ? record.kept.toReversed() : record.kept;
  const isUpwards = after !== undefined;
  const origin = (after ?? before) === '' ? undefined : record.offsetOf(after ?? before);
  const isUnknown = (after ?? before) !== '' && origin === undefined;
  const inRange = all.filter(
    ({ offset }) => origin === undefined || (isUpwards ? offset > origin : offset < origin),
  );
  const deleted = messages.find(({ id }) => record.wasDeletedBefore(id, askedAt));
  if (deleted) violated('WS-HIST-13', `message ${deleted.id} was deleted`);
  if (isUnknown !== (gap?.reason === 'unknown')) violated('WS-HIST-12', `the gap is ${JSON.stringify(gap)}`);
  if (gap !== undefined && record.isSteady && !isUnknown)
    violated('WS-HIST-12', `a gap (${gap.reason}) where nothing is missing`);
  const first = places[0] === undefined ? -1 : inRange.findIndex(({ offset }) => offset === places[0]);
  const part = first < 0 ? [] : inRange.slice(first, first + messages.length);
  const isContiguous = part.every(
    ({ offset, message }, n) => offset === places[n] && message.id === messages[n]?.id,
  );
  if (part.length < messages.length || (!isContiguous && !record.isChanging(askedAt, answeredAt)))
    violated(
      'WS-HIST-12',
      `it has ${messages.map(({ id }) => id).join()} instead of ${numbers(part).join()}`,
    );
  const skipped = first < 0 ? [] : inRange.slice(0, first);
  const must = new Set(record.acknowledgedBefore(askedAt));
  const isShortOf = (stored: Stored): boolean => must.has(stored) && (record.isSteady || isNew(stored));
  const isNew = ({ offset }: Stored): boolean => !isUpwards && offset > (places[0] ?? Infinity);
  const missing = (isUpwards && gap !== undefined ? [] : skipped).find(isShortOf);
  if (missing) violated('WS-HIST-3', `message ${missing.message.id} is missing`);
  if (next !== undefined || !record.isSteady) return;
  const left = inRange.slice(first + messages.length).find((stored) => must.has(stored));
  if (left) violated('WS-HIST-12', `it ends before message ${left.message.id}`);
};
