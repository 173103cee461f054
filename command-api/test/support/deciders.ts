import { expect } from 'chai';
import type { DomainEvent } from '@roomwire/shared/domain/events';
import type { Decider } from '../../src/handling/writeModel.js';
import { Rejection, type RejectionCode } from '../../src/handling/rejections.js';

/** The time of every event in tests of deciders. */
export const testTime = '2026-01-01T00:00:00.000Z';

/** A decider as a sentence: given past events, when a command is decided, then these events follow. */
export const sentences =
  <State, Command, Event extends DomainEvent>(decider: Decider<State, Command, Event>) =>
  (...past: readonly Event[]) => {
    const state = past.reduce(
      (folded, event) => decider.evolve(folded, { ...event, occurredAt: testTime }),
      decider.initial(),
    );
    return {
      when: (command: Command) => ({
        then: (...expected: readonly Event[]) => expect(decider.decide(command, state)).to.eql(expected),
        thenNothing: () => expect(decider.decide(command, state)).to.eql([]),
        /** With the details that its message needs, where they are told. */
        thenRejected: (code: RejectionCode, details?: object) =>
          expect(() => decider.decide(command, state))
            .to.throw(Rejection)
            .that.deep.includes({ code, ...(details && { details }) }),
      }),
    };
  };

/** A decider that keeps its state: decides commands in turn, and returns the code of a rejection, or `done`. */
export const deciding = <State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
) => {
  let state = decider.initial();
  return {
    state: () => state,
    tell(command: Command): string {
      try {
        for (const event of decider.decide(command, state))
          state = decider.evolve(state, { ...event, occurredAt: testTime });
        return 'done';
      } catch (error) {
        if (error instanceof Rejection) return (error as Rejection).code;
        throw error;
      }
    },
  };
};

/** The state after these events, and the one that is made of its records, as they are read from a snapshot. */
export const remade = <State, Command, Event extends DomainEvent>(
  { initial, evolve, records }: Decider<State, Command, Event>,
  past: readonly Event[],
): { readonly state: State; readonly again: State | undefined } => {
  const state = past.reduce((folded, event) => evolve(folded, { ...event, occurredAt: testTime }), initial());
  const kept = records && (JSON.parse(JSON.stringify(records.of(state))) as readonly unknown[]);
  return { state, again: kept && records && kept.reduce<State>(records.into, initial()) };
};
