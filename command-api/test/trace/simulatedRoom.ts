import type { SeededChance } from '@roomwire/testing/run/seededChance';
import type { RecordedFact } from '@roomwire/shared/ports/connectionRecord';
import type { Outcome } from '../../src/trace/outcome.js';
import type { TracedMessage } from '../../src/trace/tracedMessage.js';
import type { Wishes } from '../../src/trace/wishes.js';
import { epoch, messageAt, RecordedLife } from './recordedLife.js';

interface Simulated {
  readonly life: RecordedLife;
  readonly skewMs: number;
  isOpen: boolean;
  wishes: Wishes | undefined;
}

export interface Happened {
  readonly message: TracedMessage;
  /** By connection, what became of it. */
  readonly outcomes: ReadonlyMap<RecordedLife, Outcome>;
}

export interface SimulatedRoom {
  readonly lives: readonly RecordedLife[];
  readonly happened: readonly Happened[];
  /** Milliseconds after the epoch. */
  readonly endsAt: number;
}

const values = ['eu', 'us', 'asia'];
const actors = ['ann', 'bob'];

/** A room with a gateway that delivers as the protocol says, and writes down what happens to its connections. `isPlaced`: whether it knows where. */
export const simulatedRoom = (chance: SeededChance, isPlaced: () => boolean): SimulatedRoom => {
  const connections: Simulated[] = [];
  const happened: Happened[] = [];
  let [at, offset] = [0, 1];

  const momentOf = ({ skewMs }: Simulated) => ({
    at: at + skewMs,
    offset: isPlaced() ? offset : undefined,
  });
  const wished = (): Wishes => ({
    ...(chance.below(2) === 0 && { filters: [chance.oneOf(values), [values[0] ?? '', values[1] ?? '']] }),
    ...(chance.below(3) === 0 && { own: true }),
  });
  const connect = (): void => {
    const n = connections.length;
    const life = new RecordedLife({
      ...{
        connectionId: `c${n}`,
        actorTokenId: chance.oneOf(actors),
        mark: `g.${n}`,
        connectedAt: epoch + at,
      },
    });
    const skewMs = chance.below(800) - 400;
    connections.push({ life: life.authenticated(at + skewMs), skewMs, isOpen: true, wishes: undefined });
  };
  const change = (one: Simulated): void => {
    const step = chance.below(5);
    if (step === 0) {
      one.life.closed(momentOf(one));
      Object.assign(one, { isOpen: false, wishes: undefined });
    } else if (one.wishes === undefined) one.life.subscribed(momentOf(one), (one.wishes = wished()));
    else if (step === 1) {
      one.life.unsubscribed(momentOf(one));
      one.wishes = undefined;
    } else one.life.changed(momentOf(one), (one.wishes = wished()));
  };
  const publish = (): void => {
    const by = chance.below(2) === 0 ? undefined : chance.oneOf(connections);
    const message = messageAt(offset, {
      ...{ at: epoch + at, filters: values.filter(() => chance.below(3) === 0) },
      publisher: by?.life.connection.actorTokenId ?? '',
      publishedBy: by?.life.connection.mark ?? 'g',
    });
    happened.push({
      message,
      outcomes: new Map(connections.map((one) => [one.life, outcomeFor(one, message)])),
    });
    offset += 1;
  };

  connect();
  for (let step = 0; step < 60; step += 1) {
    at += chance.below(400);
    const open = connections.filter(({ isOpen }) => isOpen);
    const what = chance.below(10);
    if (what === 0 || open.length === 0) connect();
    else if (what < 5) change(chance.oneOf(open));
    else publish();
  }
  return { lives: connections.map(({ life }) => life), happened, endsAt: at };
};

/** Written for itself, as the protocol has it. */
const outcomeFor = ({ life, isOpen, wishes }: Simulated, message: TracedMessage): Outcome => {
  if (!isOpen) return 'not_connected';
  if (wishes === undefined) return 'not_subscribed';
  const { actorTokenId, mark } = life.connection;
  const isOwn = message.publisher === actorTokenId;
  if (isOwn && (wishes.own !== true || message.publishedBy === mark)) return 'own';
  const { filters } = wishes;
  const has = (value: string) => message.filters.includes(value);
  const matches =
    filters?.some((entry) => (typeof entry === 'string' ? has(entry) : entry.every(has))) ?? true;
  return matches ? 'delivered' : 'filtered';
};

/** What is left of facts where those between two times were lost, and what stood then was told again. */
export const withGap = (
  life: RecordedLife,
  gap: { readonly from: number; readonly to: number },
): RecordedLife => {
  const left = new RecordedLife(life.connection);
  const [lost, kept] = [[] as RecordedFact[], [] as RecordedFact[]];
  for (const recorded of life.facts)
    (recorded.fact.at >= epoch + gap.from && recorded.fact.at <= epoch + gap.to ? lost : kept).push(recorded);
  const behind = kept.findIndex(({ fact }) => fact.at > epoch + gap.to);
  const before = behind < 0 ? kept : kept.slice(0, behind);
  left.facts.push(...before);
  const known = [...before, ...lost].sort((one, other) => (one.place < other.place ? -1 : 1));
  const last = known.at(-1)?.fact;
  if (lost.length > 0 && last !== undefined && last.kind !== 'closed') {
    let wishes: Wishes | undefined;
    for (const { fact } of known)
      if (fact.kind === 'subscribed' || fact.kind === 'changed') wishes = fact;
      else if (fact.kind === 'unsubscribed') wishes = undefined;
    left.standing({ at: gap.to }, wishes === undefined ? [] : [wishes]);
  }
  if (lost.some(({ fact }) => fact.kind === 'closed')) left.lost(gap.from, gap.to);
  if (behind >= 0) left.facts.push(...kept.slice(behind));
  return left;
};
