import type { RecordedConnection, RecordedFact } from '@roomwire/shared/ports/connectionRecord';
import type { FactOf } from '@roomwire/shared/wire/bus/connectionFacts';
import type { Wishes } from './wishes.js';

type Ended = FactOf<'unsubscribed'>;

export interface Subscription extends Wishes {
  /** Of the fact that says so: whether it began, or went on. */
  readonly kind: 'subscribed' | 'changed' | 'standing';
}

/** What a connection was, and had of a topic, at a moment. */
export interface ConnectionState {
  readonly isOpen: boolean;
  /** Whether the token has left out some of the rights. */
  readonly isNarrowed: boolean;
  /** Undefined where it was not subscribed. */
  readonly subscription: Subscription | undefined;
  /** How the last subscription ended; undefined where there was none, or there is one. */
  readonly ended: Ended | undefined;
  /** The fact that says so. */
  readonly by: RecordedFact | undefined;
}

const unknownYet: ConnectionState = {
  isOpen: false,
  isNarrowed: false,
  subscription: undefined,
  ended: undefined,
  by: undefined,
};

/** After so many of its facts, in their order. */
export const stateAfter = (facts: readonly RecordedFact[], count: number, topic: string): ConnectionState =>
  facts.slice(0, count).reduce((state, recorded) => after(state, recorded, topic), unknownYet);

const after = (state: ConnectionState, by: RecordedFact, topic: string): ConnectionState => {
  const { fact } = by;
  switch (fact.kind) {
    case 'authenticated':
      return { ...unknownYet, isOpen: true, isNarrowed: fact.narrowed === true, by };
    case 'standing':
      return {
        ...{ isOpen: true, isNarrowed: fact.narrowed === true, ended: undefined, by },
        subscription: standingIn(fact, topic),
      };
    case 'renewed':
      return { ...state, isNarrowed: fact.narrowed === true };
    case 'subscribed':
    case 'changed':
      return fact.topic === topic ? { ...state, subscription: fact, ended: undefined, by } : state;
    case 'replayed':
      return fact.topic === topic ? { ...state, subscription: withoutReplay(state.subscription) } : state;
    case 'unsubscribed':
      return fact.topic === topic ? { ...state, subscription: undefined, ended: fact, by } : state;
    case 'closed':
      return { ...state, isOpen: false, subscription: undefined, by };
    default:
      return state;
  }
};

const standingIn = ({ subscriptions }: FactOf<'standing'>, topic: string): Subscription | undefined => {
  const found = subscriptions.find((each) => each.topic === topic);
  return found && { ...found, kind: 'standing' };
};

const withoutReplay = (subscription: Subscription | undefined): Subscription | undefined =>
  subscription && { ...subscription, replays: false };

/** Whether nobody saw how the connection ended, and the moment is one at which it may have. */
export const mayHaveEnded = ({ closed }: RecordedConnection, from: number, to: number): boolean =>
  closed !== null && closed.code === null && to > closed.seenOpenAt && from <= closed.at;

/** Whether it had ended for certain, without a fact that says so. */
export const hadEndedUnseen = ({ closed }: RecordedConnection, at: number): boolean =>
  closed !== null && closed.code === null && at > closed.at;
