import { expect } from 'chai';
import fc from 'fast-check';
import { inPlace, RevocableEdits, type Edits } from '../../src/handling/edits.js';
import { Rejection } from '../../src/handling/rejections.js';
import { kinds, type Kind } from '../support/commandsOf.js';
import { testTime } from '../support/deciders.js';

/** The state after the commands; those that are refused change nothing. */
const after = (
  { decider }: Kind,
  begin: unknown,
  commands: readonly unknown[],
  edits: Edits = inPlace,
): unknown =>
  commands.reduce((state, command, index) => {
    try {
      const occurredAt = new Date(Date.parse(testTime) + index).toISOString();
      return decider
        .decide(command, state)
        .reduce((folded, event) => decider.evolve(folded, { ...event, occurredAt }, edits), state);
    } catch (error) {
      if (error instanceof Rejection) return state;
      throw error;
    }
  }, begin);

describe('the state of', () => {
  for (const kind of kinds) {
    const { name, decider, commands } = kind;
    const { initial } = decider;

    describe(name, () => {
      it('is as it was when events are taken back', () => {
        fc.assert(
          fc.property(commands, commands, (earlier, later) => {
            const state = after(kind, initial(), earlier);
            const edits = new RevocableEdits();
            after(kind, state, later, edits);
            edits.takeBack();
            expect(state).to.eql(after(kind, initial(), earlier));
            expect(after(kind, state, later)).to.eql(after(kind, after(kind, initial(), earlier), later));
          }),
          { seed: 11, numRuns: 300 },
        );
      });
    });
  }
});
