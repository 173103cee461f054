import type { RecordedConnection, RecordedFact } from '@roomwire/shared/ports/connectionRecord';
import type { ConnectionFact, FactKind, FactPlace } from '@roomwire/shared/wire/bus/connectionFacts';
import type { Subscription } from './connectionState.js';
import type { TracedMessage } from './tracedMessage.js';
import { leftOut, type Wishes } from './wishes.js';

export interface FoundReplay {
  readonly replayed: RecordedFact;
  /** Undefined where what the subscription asked for has changed while it went on, and that decides. */
  readonly isSent: boolean | undefined;
}

/** [WS-HIST-9] The replay that had the message, or may have. */
export const replayWith = (
  facts: readonly RecordedFact[],
  message: TracedMessage,
  connection: RecordedConnection,
): FoundReplay | undefined => {
  const found = facts.flatMap((replayed, index): FoundReplay[] => {
    const { fact } = replayed;
    if (fact.kind !== 'replayed' || fact.topic !== message.topic) return [];
    if (!isWithin(message, fact.first, fact.place)) return [];
    const asked = wishesDuring(facts.slice(0, index), message.topic);
    const left = asked.map((wishes) => leftOut(wishes, message, connection, 'replay')?.outcome);
    const mayBeSent = left.some((outcome) => outcome === undefined || outcome === 'unknown');
    const isSent = left.every((outcome) => outcome === undefined) || undefined;
    return mayBeSent ? [{ replayed, isSent }] : [];
  });
  return found.find(({ isSent }) => isSent) ?? found[0];
};

/** All that a subscription asked for while it was behind. */
const wishesDuring = (before: readonly RecordedFact[], topic: string): readonly Wishes[] => {
  const ofTopic = before.map(({ fact }) => fact).filter((fact) => 'topic' in fact && fact.topic === topic);
  const since = ofTopic.findLastIndex((fact) => !('replays' in fact) || fact.replays !== true);
  return ofTopic.slice(since + 1) as readonly Wishes[];
};

const isWithin = (
  { place }: TracedMessage,
  first: FactPlace | undefined,
  end: FactPlace | undefined,
): boolean =>
  place !== undefined &&
  first !== undefined &&
  end !== undefined &&
  first.epoch === place.epoch &&
  first.offset <= place.offset &&
  place.offset < end.offset;

/** [WS-HIST-7] [WS-HIST-10] What became of a message that had to wait behind a replay, which did not have it. */
export const afterWaiting = (
  { kind }: Subscription,
  { topic, place }: TracedMessage,
  later: readonly RecordedFact[],
): { readonly became: 'sent' | 'not for it' | 'unknown'; readonly facts: readonly RecordedFact[] } => {
  const next = later.find(({ fact }) => endsWaiting(fact, topic));
  const facts = next === undefined ? [] : [next];
  if (next?.fact.kind !== 'replayed') return { became: 'unknown', facts };
  const begins = next.fact.place;
  const isBefore = begins !== undefined && place !== undefined && place.offset < begins.offset;
  // What the record had when a new subscription began, came in its replay or not at all.
  return { became: kind === 'subscribed' && isBefore ? 'not for it' : 'sent', facts };
};

const endsWaiting = (fact: ConnectionFact, topic: string): boolean =>
  fact.kind === 'closed' || (changing.has(fact.kind) && 'topic' in fact && fact.topic === topic);

const changing: ReadonlySet<FactKind> = new Set<FactKind>([
  ...(['replayed', 'subscribed', 'changed', 'unsubscribed'] as const),
]);
