import { expect } from 'chai';
import type { WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { BacklogQuota } from '../../src/isolation/backlogQuota.js';

const callOf = (projectId: string, bytes = 0): WebhookCall => ({
  ...{ callId: 'c', kind: 'trigger', organizationId: 'o', projectId, appId: 'a', url: 'http://u' },
  ...{ headers: [], room: 'r', roomName: 'r', topicName: 't', actorId: 'x', scope: null },
  ...{ data: new Uint8Array(bytes), origin: { by: 'publish' }, attempts: 0 },
});

describe('[HOOK-BACKLOG-1] the quota of a project in the backlog', () => {
  let now: number;
  const quotaOf = (maxBacklogCalls: number, maxBacklogBytes = 1e9): BacklogQuota =>
    new BacklogQuota({
      limits: { maxBacklogCalls, maxBacklogBytes },
      clock: { now: () => 0, monotonic: () => now },
      random: systemRandom,
    });
  beforeEach(() => void (now = 0));

  /** What the process does that takes a call for which there is no capacity. */
  const goAround = (quota: BacklogQuota, call: WebhookCall): WebhookCall | undefined => {
    quota.taken(call);
    const put = quota.limitFor(call) === undefined ? quota.putOff(call) : undefined;
    quota.left(call);
    return put;
  };

  it('admits calls up to the number, of each project', () => {
    const quota = quotaOf(2);
    const first = goAround(quota, callOf('p1'));
    expect(goAround(quota, callOf('p1'))).to.not.equal(undefined);
    expect(goAround(quota, callOf('p1')), 'the third').to.equal(undefined);
    expect(goAround(quota, callOf('p2')), 'of another project').to.not.equal(undefined);
    expect(goAround(quota, first as WebhookCall), 'that has its place').to.have.property('putOffBy');
    expect(quota.limitFor(callOf('p1'))).to.equal('webhookBacklogCalls');
  });

  it('admits calls up to the bytes', () => {
    const quota = quotaOf(100, 10_000);
    expect(goAround(quota, callOf('p1', 8_000))).to.not.equal(undefined);
    expect(quota.limitFor(callOf('p1', 8_000))).to.equal('webhookBacklogBytes');
    expect(goAround(quota, callOf('p1', 8_000))).to.equal(undefined);
    expect(goAround(quota, callOf('p1', 100))).to.not.equal(undefined);
  });

  it('gives the place of a call that has left to another', () => {
    const quota = quotaOf(1);
    const put = goAround(quota, callOf('p1')) as WebhookCall;
    quota.taken(put);
    quota.left(put);
    expect(goAround(quota, callOf('p1'))).to.not.equal(undefined);
  });

  it('learns what is in the backlog by one round of it, after a restart', () => {
    const before = quotaOf(3);
    const stored = [1, 2, 3].map(() => goAround(before, callOf('p1')) as WebhookCall);
    const after = quotaOf(3);
    expect(after.limitFor(callOf('p1')), 'not known yet').to.equal(undefined);
    for (const call of stored) expect(goAround(after, call)).to.not.equal(undefined);
    expect(after.limitFor(callOf('p1'))).to.equal('webhookBacklogCalls');
  });

  it('counts nothing where another process takes the calls', () => {
    const quota = quotaOf(1);
    for (let n = 0; n < 3; n += 1) {
      expect(quota.limitFor(callOf('p1'))).to.equal(undefined);
      expect(quota.putOff({ ...callOf('p1'), putOffBy: 'of the other' }).putOffBy).to.equal(undefined);
    }
  });

  it('forgets what another process has taken over', () => {
    const quota = quotaOf(1);
    const put = goAround(quota, callOf('p1')) as WebhookCall;
    expect(quota.limitFor(callOf('p1'))).to.equal('webhookBacklogCalls');
    now += 60_001;
    expect(quota.limitFor(callOf('p1'))).to.equal(undefined);
    // Back again, with a call from before: it was not counted since.
    expect(goAround(quota, put)).to.have.property('putOffBy').that.is.not.equal(put.putOffBy);
    expect(quota.limitFor(callOf('p1'))).to.equal('webhookBacklogCalls');
  });
});
