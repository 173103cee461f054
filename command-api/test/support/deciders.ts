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
        thenRejected: (code: RejectionCode) =>
          expect(() => decider.decide(command, state))
            .to.throw(Rejection)
            .with.property('code', code),
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
