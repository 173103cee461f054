import { expect } from 'chai';
import { EngineUnavailable } from '../../src/ports/errors.js';
import type { AccessEntry, AccessLog, Refusal } from '../../src/ports/accessLog.js';
import type { LimitReports } from '../../src/runtime/limitReports.js';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { eventually } from '@roomwire/testing/run/eventually';
import { limitTable } from '../../src/wire/limits/limitTable.js';
import { AccessRecorder } from '../../src/runtime/accessRecorder.js';

describe('the recorder of refused calls', () => {
  let written: AccessEntry[][];
  let failing: number;
  let reached: string[];
  let recorder: AccessRecorder;
  let clock: ManualClock;
  const { logger, lines } = createRecordingLogger();

  const open = (mostWaiting?: number): AccessRecorder => {
    const accessLog = {
      record: async (entries: readonly AccessEntry[]) => {
        if (failing-- > 0) throw new EngineUnavailable('access log');
        written.push([...entries]);
        return 0;
      },
      prune: async () => 0,
    } as unknown as AccessLog;
    const limits = { reached: (limit: string) => void reached.push(limit) } as unknown as LimitReports;
    return new AccessRecorder({
      ...{ accessLog, clock, logger, limits, writeEveryMs: 5 },
      ...(mostWaiting === undefined ? {} : { mostWaiting }),
    });
  };
  beforeEach(() => {
    [written, reached, failing, clock] = [[], [], 0, new ManualClock()];
    recorder = open();
  });
  afterEach(() => recorder.close());

  const refusal = (fields: Partial<Refusal> = {}): Refusal => ({
    ...{ organizationId: 'o1', projectId: 'p1', principal: 'apiKey:a', address: '10.0.0.1', method: 'GET' },
    ...{ route: '/v1/apps', status: 403, reason: 'permission_missing', ...fields },
  });
  const all = () => written.flat();

  it('writes a flood of one principal as one entry a minute, with its count', async () => {
    for (let n = 0; n < 50_000; n += 1)
      recorder.refused(refusal({ address: `10.0.${n >> 8}.${n & 255}` }), 'route');
    await eventually(() => all().length > 0);
    expect(all()).to.have.length(1);
    expect(all()[0]).to.include({ count: 50_000, address: '10.0.0.0' });
    clock.pass(60_000);
    recorder.refused(refusal(), 'route');
    await eventually(() => all().length === 2);
    expect(new Set(all().map(({ place }) => place)).size).to.equal(2);
  });

  it('tells principals, reasons and routes apart, but not the routes of a credential that opens none', async () => {
    recorder.refused(refusal(), 'route');
    recorder.refused(refusal({ principal: 'apiKey:b' }), 'route');
    recorder.refused(refusal({ route: '/v1/actors' }), 'route');
    recorder.refused(refusal({ method: 'POST' }), 'route');
    recorder.refused(refusal({ reason: 'app_limit' }), 'route');
    for (const route of ['/v1/apps', '/v1/actors', '/v1/scopes'])
      recorder.refused(refusal({ route, status: 401, reason: 'wrong_secret' }), 'credential');
    await eventually(() => all().length > 0);
    expect(all().map(({ count }) => count)).to.eql([1, 1, 1, 1, 1, 3]);
  });

  it('keeps what could not be written, and says so once', async () => {
    failing = 3;
    recorder.refused(refusal(), 'route');
    await eventually(() => failing < 2);
    recorder.refused(refusal(), 'route');
    await eventually(() => all().length > 0);
    expect(all().map(({ count }) => count)).to.eql([2]);
    expect(
      lines.filter(({ message }) => message.startsWith('The access log cannot be written')),
    ).to.have.length(1);
  });

  it('holds a bounded number of entries, and counts what it does not record', async () => {
    await recorder.close();
    recorder = open(10);
    for (let n = 0; n < 1_000; n += 1) recorder.refused(refusal({ principal: `apiKey:${n}` }), 'route');
    expect(reached).to.have.length(990);
    await eventually(() => all().length > 0);
    expect(all()).to.have.length(10);
  });

  it('leaves room for others when one organization fills its share, and for itself once that is written', async () => {
    const refuse = (organizationId: string, count: number) => {
      for (let n = 0; n < count; n += 1)
        recorder.refused(refusal({ organizationId, principal: `actor:${n}` }), 'route');
    };
    refuse('o1', 5_000);
    refuse('o2', 10);
    const share = limitTable.accessLogWaitingPerOrganization.value;
    expect(new Set(reached)).to.eql(new Set(['accessLogWaitingPerOrganization']));
    expect(reached).to.have.length(5_000 - share);
    await eventually(() => all().length > 0);
    expect(all().filter(({ organizationId }) => organizationId === 'o2')).to.have.length(10);
    expect(all()).to.have.length(share + 10);
    refuse('o1', 1);
    await eventually(() => all().length === share + 11);
  });

  it('writes what it holds when it is closed', async () => {
    recorder.refused(refusal({ principal: 'x'.repeat(2_000) }), 'route');
    await recorder.close();
    expect(all().map(({ principal }) => principal.length)).to.eql([500]);
  });
});
