import { expect } from 'chai';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { eventually } from '@roomwire/testing/run/eventually';
import { createHttpFront, type HttpFront, type Readiness } from '../../src/services/httpFront.js';

describe('the readiness of a process', () => {
  const clock = new ManualClock();
  let front: HttpFront;
  let url: string;

  beforeEach(async () => {
    front = createHttpFront(clock);
    url = `${await front.listen('127.0.0.1', 0)}/readyz`;
  });
  afterEach(() => front.close(0));

  const status = async (): Promise<number> => (await fetch(url)).status;
  const found = (isReady: boolean, ...unreachable: readonly string[]): Readiness => ({
    isReady,
    unreachable,
  });

  it('is checked at most once a second, however many ask', async () => {
    let [isWell, checks] = [true, 0];
    front.ready(async () => {
      checks += 1;
      return found(isWell);
    });
    expect(await Promise.all(Array.from({ length: 50 }, status))).to.eql(Array(50).fill(200));
    isWell = false;
    clock.pass(999);
    expect([await status(), checks]).to.eql([200, 1]);
    clock.pass(1);
    expect([await status(), await status(), checks]).to.eql([503, 503, 2]);
  });

  it('is none while something hinders a service, which is told also while the process starts', async () => {
    await front.close(0);
    let hindrances: readonly string[] = ['the read models stop'];
    front = createHttpFront(clock, () => hindrances);
    url = `${await front.listen('127.0.0.1', 0)}/readyz`;
    const answer = async (): Promise<unknown> => (await fetch(url)).json();
    expect(await answer()).to.eql({ status: 'not ready', hindrances });
    front.ready(async () => found(true));
    expect([await status(), await answer()]).to.eql([503, { status: 'not ready', hindrances }]);
    hindrances = [];
    expect([await status(), await answer()]).to.eql([200, { status: 'ready' }]);
  });

  it('is none while the check fails', async () => {
    let checks = 0;
    front.ready(() => {
      checks += 1;
      return Promise.reject(new Error('away'));
    });
    expect([await status(), await status(), checks]).to.eql([503, 503, 1]);
  });

  it('is checked once at a time, also where a check hangs', async () => {
    const hanging: ((readiness: Readiness) => void)[] = [];
    let asked = 0;
    front.server.on('request', () => {
      asked += 1;
      clock.pass(5_000);
    });
    front.ready(() => new Promise((resolve) => hanging.push(resolve)));
    const answers = [status(), status(), status()];
    await eventually(() => asked === 3);
    expect(hanging).to.have.length(1);
    for (const answer of hanging) answer(found(true));
    expect(await Promise.all(answers)).to.eql([200, 200, 200]);
  });

  it('is told with the engines that do not answer, also where it goes on without them', async () => {
    front.ready(async () => found(true, 'event log'));
    expect(await (await fetch(url)).json()).to.eql({ status: 'ready', unreachable: ['event log'] });
    front.ready(async () => found(false, 'read models'));
    expect(await (await fetch(url)).json()).to.eql({ status: 'not ready', unreachable: ['read models'] });
    front.ready(async () => found(true));
    expect(await (await fetch(url)).json()).to.eql({ status: 'ready' });
  });

  it('ends at once when the process withdraws', async () => {
    front.ready(async () => found(true));
    expect(await status()).to.equal(200);
    front.withdraw();
    expect(await status()).to.equal(503);
  });
});
