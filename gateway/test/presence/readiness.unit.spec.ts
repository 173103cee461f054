import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { Readiness } from '../../src/presence/presenceBoard.js';

describe('the readiness of a gateway that has just started', () => {
  let reached: number;
  const readiness = (answersMs: number): Readiness => new Readiness(answersMs, () => void reached++);
  const isReached = async (): Promise<boolean> => {
    await turn();
    return reached > 0;
  };

  beforeEach(() => (reached = 0));

  it('[WS-PRES-12] waits for an answer, although it knows no peer', async () => {
    const one = readiness(60_000);
    one.begin(() => true);
    one.check(true);
    expect(await isReached()).to.equal(false);
    one.stop();
  });

  it('[WS-PRES-12] waits for peers that have begun to answer', async () => {
    let asked = 0;
    const one = readiness(1);
    one.begin(() => ++asked > 1);
    await eventually(() => asked === 1);
    one.check(false);
    expect(await isReached()).to.equal(false);
    one.check(true);
    expect(await isReached()).to.equal(true);
    one.stop();
  });

  it('[WS-PRES-12] waits two seconds at most', async () => {
    const one = readiness(1);
    one.begin(() => false);
    await eventually(isReached, { withinMs: 4_000 });
    expect(reached).to.equal(1);
  });

  it('ends when the gateway closes, and so do all waits', async () => {
    const one = readiness(60_000);
    one.begin(() => false);
    one.stop();
    await one.reached;
  });
});
