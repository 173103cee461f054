import { expect } from 'chai';
import { busyFor } from '@roomwire/testing/run/busyFor';
import { forEachInSlices, inLaterTurn, workSlices } from '../../src/runtime/workSlices.js';

describe('work slices', () => {
  it('let the event loop run between them, for several turns', async () => {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const turnsOf: number[] = [];
    const work = async (): Promise<void> => {
      const slices = workSlices();
      for (let slice = 0; slice < 5; slice += 1) {
        await slices.next();
        turnsOf.push(turns);
      }
    };
    await Promise.all([work(), work(), work()]);
    isOver = true;
    expect(turnsOf).to.have.length(15);
    for (const [at, turn] of turnsOf.entries())
      if (at > 0) expect(turn).to.be.above((turnsOf[at - 1] ?? 0) + 1);
  });

  it('leave every other turn to what sockets send and get, however many requests have long work', async () => {
    const order: string[] = [];
    const requests = Array.from({ length: 5 }, async () => {
      await workSlices().next();
      order.push('request');
    });
    const sockets = Array.from(
      { length: 2 },
      () =>
        new Promise<void>((resolve) =>
          inLaterTurn(() => {
            order.push('socket');
            resolve();
          }),
        ),
    );
    await Promise.all([...requests, ...sockets]);
    expect(order.indexOf('socket')).to.be.at.most(1);
    expect(order.lastIndexOf('socket')).to.be.at.most(3);
    expect(order).to.have.length(7);
  });

  it('go by time', async () => {
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 0);
    await forEachInSlices(Array(50), workSlices(), () => busyFor(2));
    clearInterval(counting);
    expect(turns).to.be.above(5);
  });
});
