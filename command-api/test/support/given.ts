import { expect } from 'chai';
import type { DomainEvent } from '@roomwire/shared/domain/events';
import type { Decider } from '../../src/handling/writeModel.js';
import { Rejection, type RejectionCode } from '../../src/handling/rejections.js';

/** When everything happens in the tests of deciders. */
export const testTime = '2026-01-01T00:00:00.000Z';

/** A decider's behaviour as a sentence: given what happened, when a command comes, then this happens. */
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
