import { createHash } from 'node:crypto';
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

/**
 * The hash of what the records of many states look like. Where it changes, `version` of the records goes up, and both are entered here;
 * a new version of fast-check changes the hashes alone.
 */
const recordsOf: Readonly<Record<string, { readonly version: number; readonly hash: string }>> = {
  'the apps of a project': {
    version: 1,
    hash: 'c0ced1b1bdf550d75f5981a18cb49d746267c48aed65fa880c19da00bd39188b',
  },
  'the rooms of an app': {
    version: 1,
    hash: '05d06ec0fd09ce61a34d8cb30a4f103a819e85f1cb45fb634be9b25b4da60548',
  },
  'the scopes of a project': {
    version: 1,
    hash: '1f298582af7e015ccab2a119ae1d693878d4b1492a0ec79ec35850303ea50574',
  },
};

describe('the state of', () => {
  for (const kind of kinds) {
    const { name, decider, commands } = kind;
    const { initial, records } = decider;

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

      if (records === undefined) return;

      it('is the same when it is made of its records, and goes on in the same way', () => {
        fc.assert(
          fc.property(commands, commands, (earlier, later) => {
            const state = after(kind, initial(), earlier);
            const text = JSON.stringify(records.of(state));
            const made = (JSON.parse(text) as unknown[]).reduce<unknown>(records.into, initial());
            expect(made).to.eql(state);
            const [one, other] = [after(kind, made, later), after(kind, state, later)];
            expect(one).to.eql(other);
            expect(records.of(one)).to.eql(records.of(other));
          }),
          { seed: 12, numRuns: 300 },
        );
      });

      it('has records that stay what they are while it goes on', () => {
        fc.assert(
          fc.property(commands, commands, (earlier, later) => {
            const state = after(kind, initial(), earlier);
            const list = records.of(state);
            const text = JSON.stringify(list);
            after(kind, state, later);
            expect(JSON.stringify(list)).to.equal(text);
          }),
          { seed: 13, numRuns: 300 },
        );
      });

      it('has records whose version goes up when they change', () => {
        const hash = createHash('sha256');
        for (const sample of fc.sample(commands, { seed: 14, numRuns: 200 }))
          hash.update(JSON.stringify(records.of(after(kind, initial(), sample))));
        expect({ version: records.version, hash: hash.digest('hex') }).to.eql(recordsOf[name]);
      });
    });
  }
});
