import { expect } from 'chai';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { closes, type CloseSpec } from '@roomwire/shared/wire/protocol/protocolErrors';
import { drain } from '../../src/socket/openConnections.js';

const count = 40;
const overMs = 400;
const never = new Promise<void>(() => undefined);

interface Closed {
  readonly place: number;
  readonly atMs: number;
  readonly why: CloseSpec;
}

const room = (): { connections: Set<{ close(why: CloseSpec): void }>; closed: Closed[] } => {
  const closed: Closed[] = [];
  const from = performance.now();
  const connection = (place: number) => ({
    close: (why: CloseSpec) => void closed.push({ place, atMs: performance.now() - from, why }),
  });
  return { connections: new Set(Array.from({ length: count }, (_, place) => connection(place))), closed };
};

describe('a drain', () => {
  it('closes every connection once, none before its share of the time has passed', async () => {
    const { connections, closed } = room();
    await drain({ connections, emptied: never, random: systemRandom, overMs });
    expect(new Set(closed.map(({ place }) => place)).size).to.equal(count);
    expect(closed).to.have.length(count);
    for (const [n, { atMs, why }] of closed.entries()) {
      expect(why).to.equal(closes.serviceRestart);
      // Timers may come a little early, and what is due at once is not waited for.
      expect(atMs).to.be.at.least((n / count) * overMs - 7);
    }
  });

  it('is in random order', async () => {
    const orders = [];
    for (let round = 0; round < 2; round += 1) {
      const { connections, closed } = room();
      await drain({ connections, emptied: never, random: systemRandom, overMs: 10 });
      orders.push(closed.map(({ place }) => place));
    }
    const byAge = Array.from({ length: count }, (_, place) => place);
    expect(orders[0]).to.not.eql(byAge);
    expect(orders[1]).to.not.eql(orders[0]);
  });

  it('ends when all connections have closed by themselves', async () => {
    const { connections, closed } = room();
    await drain({
      ...{ connections, random: systemRandom, overMs: 3_600_000 },
      emptied: new Promise((resolve) => setTimeout(resolve, 20)),
    });
    expect(closed).to.have.length(0);
  });
});
