import { expect } from 'chai';
import { seededChance } from '@roomwire/testing/run/seededChance';
import { clockSkewMs } from '../../src/trace/factOrder.js';
import { judgeConnection, type Verdict } from '../../src/trace/outcome.js';
import type { TracedMessage } from '../../src/trace/tracedMessage.js';
import { epoch, type RecordedLife } from './recordedLife.js';
import { simulatedRoom, withGap } from './simulatedRoom.js';

const seed = 20;
const rooms = 300;

const verdictOf = (life: RecordedLife, message: TracedMessage, missing?: 'gap'): Verdict =>
  judgeConnection({ message, connection: life.connection, facts: life.facts, handOuts: [], missing });

describe(`what became of messages in simulated rooms (seed ${seed})`, () => {
  it('is always known where the places of all facts are, for clocks that differ', () => {
    const chance = seededChance(seed);
    const seen = new Map<string, number>();
    for (let n = 0; n < rooms; n += 1)
      for (const { message, outcomes } of simulatedRoom(chance, () => true).happened)
        for (const [life, outcome] of outcomes) {
          // A connection and a message within the same second may be told either way.
          const found = verdictOf(life, message).outcome;
          const isNear = life.facts.some(
            ({ fact }) => fact.kind === 'authenticated' && Math.abs(fact.at - message.at) < clockSkewMs,
          );
          const isEither = isNear && [found, outcome].every((each) => each.startsWith('not_'));
          if (!isEither) expect(found, `room ${n}, ${message.id}`).to.equal(outcome);
          seen.set(found, (seen.get(found) ?? 0) + 1);
        }
    const common = ['delivered', 'filtered', 'own', 'not_subscribed', 'not_connected'];
    for (const outcome of common) expect(seen.get(outcome), outcome).to.be.greaterThan(100);
  });

  it('is known or said to be unknown where places and facts are missing, and never wrong', () => {
    const chance = seededChance(seed);
    let [known, unknown] = [0, 0];
    for (let n = 0; n < rooms; n += 1) {
      const { happened, endsAt } = simulatedRoom(chance, () => chance.below(4) > 0);
      const from = chance.below(endsAt);
      const gap = { from, to: from + chance.below(3_000) };
      const left = new Map<RecordedLife, RecordedLife>();
      for (const { message, outcomes } of happened)
        for (const [life, outcome] of outcomes) {
          const shortened = left.get(life) ?? withGap(life, gap);
          left.set(life, shortened);
          const isMissing =
            message.at + clockSkewMs >= epoch + gap.from && message.at - clockSkewMs <= epoch + gap.to;
          const found = verdictOf(shortened, message, isMissing ? 'gap' : undefined).outcome;
          if (found === 'unknown') unknown += 1;
          else known += 1;
          if (found !== 'unknown' && !(found.startsWith('not_') && outcome.startsWith('not_')))
            expect(found, `room ${n}, ${message.id}`).to.equal(outcome);
        }
    }
    expect(known).to.be.greaterThan(unknown);
    expect(unknown).to.be.greaterThan(100);
  });
});
