import type { LookupAddress } from 'node:dns';
import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import type { Resolve } from '../../src/deliver/addresses.js';
import { createFairLookup } from '../../src/deliver/fairLookup.js';

const address: LookupAddress = { address: '203.0.113.1', family: 4 };

describe('looking up the names of endpoints', () => {
  /** The names that the system looks up, with what answers them. */
  let underWay: Map<string, () => void>;
  let answered: string[];
  let failed: string[];

  /** As the system does it: two at a time, the others wait. */
  const system = (): Resolve => {
    const waiting: (() => void)[] = [];
    const begin = (): void => {
      if (underWay.size < 2) waiting.shift()?.();
    };
    return (host, _options, callback) => {
      waiting.push(() =>
        underWay.set(host, () => {
          underWay.delete(host);
          callback(null, [address]);
          begin();
        }),
      );
      begin();
    };
  };

  const lookupWith = (patienceMs: number, slowMs = 60_000): ((host: string) => void) => {
    const isAnswered = async (host: string): Promise<boolean> => !host.startsWith('silent');
    const look = createFairLookup({ patienceMs, slowMs, resolve: system(), isAnswered });
    return (host) =>
      look(host, { all: true }, (error) => void (error ? failed : answered).push(error?.code ?? host));
  };

  beforeEach(() => {
    underWay = new Map();
    [answered, failed] = [[], []];
  });

  it('[HOOK-ISOLATION-4] waits for no name that no name server answers for', async () => {
    const look = lookupWith(60_000);
    for (let n = 0; n < 9; n++) look(`silent-${n}.example`);
    await eventually(() => underWay.has('silent-0.example'));
    for (let n = 0; n < 3; n++) look(`good-${n}.example`);
    for (let n = 0; n < 3; n++) {
      await eventually(() => underWay.has(`good-${n}.example`));
      underWay.get(`good-${n}.example`)?.();
    }
    expect(answered).to.eql(['good-0.example', 'good-1.example', 'good-2.example']);
    expect([...underWay.keys()]).to.eql(['silent-0.example']);
  });

  it('[HOOK-ISOLATION-4] looks those up one after the other, as the system may know them', async () => {
    const look = lookupWith(60_000);
    for (let n = 0; n < 3; n++) look(`silent-${n}.example`);
    for (let n = 0; n < 3; n++) {
      await eventually(() => underWay.has(`silent-${n}.example`));
      expect(underWay.size).to.equal(1);
      underWay.get(`silent-${n}.example`)?.();
    }
    expect(answered).to.have.length(3);
    look('silent-again.example');
    await eventually(() => underWay.has('silent-again.example'));
  });

  it('[HOOK-ISOLATION-4] looks none up whose call has ended meanwhile', async () => {
    const look = lookupWith(-1);
    look('silent-0.example');
    look('silent-1.example');
    look('good.example');
    await eventually(() => failed.length === 2);
    expect(failed).to.eql(['EAI_AGAIN', 'EAI_AGAIN']);
    expect([...underWay.keys()]).to.eql(['good.example']);
  });

  it('[HOOK-ISOLATION-4] looks those up one after the other that were slow before', async () => {
    const look = lookupWith(60_000, -1);
    for (const host of ['good-0.example', 'good-1.example']) {
      look(host);
      await eventually(() => underWay.has(host));
      underWay.get(host)?.();
    }
    for (const host of ['good-0.example', 'good-1.example', 'good-2.example']) look(host);
    await eventually(() => underWay.has('good-2.example'));
    expect([...underWay.keys()].sort()).to.eql(['good-0.example', 'good-2.example']);
  });
});
