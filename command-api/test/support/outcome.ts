import type { DomainEvent } from '@roomwire/shared/domain/events';
import type { Decider } from '../../src/handling/writeModel.js';
import { Rejection } from '../../src/handling/rejections.js';
import { testTime } from './given.js';

/** A decider with a memory: decides a command on all that went before, and tells the code of a refusal, or 'done'. */
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
