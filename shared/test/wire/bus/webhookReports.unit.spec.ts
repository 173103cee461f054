import { decode } from '@msgpack/msgpack';
import { expect } from 'chai';
import type { LostWork } from '../../../src/wire/bus/lostWork.js';
import type { WebhookCall } from '../../../src/wire/bus/webhookCalls.js';
import { type WebhookReport, webhookReports } from '../../../src/wire/bus/webhookReports.js';

const call: WebhookCall = {
  ...{ callId: 'c', kind: 'trigger', organizationId: 'o', projectId: 'p', appId: 'a' },
  ...{ url: 'https://example.com', headers: [], room: 'p/a/_/r', roomName: 'r', topicName: 't' },
  ...{ actorId: 'x', scope: null, data: Uint8Array.of(0xc0), origin: { by: 'publish' }, attempts: 3 },
};
const work: LostWork = {
  ...{ dlqId: 'd', kind: 'schedule', organizationId: 'o', projectId: 'p', appId: 'a', roomId: 'r' },
  ...{ room: 'p/a/_/r', roomName: 'r', topicName: 't', actorId: '', scope: null, scheduledId: 's' },
  ...{ data: Uint8Array.of(0xc0), attempts: 0, rest: Uint8Array.of(1) },
};
const failure = { error: 'e', status: 'pending' } as const;

describe('reports of dead letters', () => {
  const { codec, key } = webhookReports;
  const versionOf = (report: WebhookReport) => (decode(codec.encode(report)) as [number])[0];

  it('of calls are written in the version that earlier programs read, others in one that they leave alone', () => {
    const failed: WebhookReport = { outcome: 'failed', call, responseStatus: null, ...failure };
    expect(versionOf(failed)).to.equal(1);
    expect(versionOf({ outcome: 'delivered', call })).to.equal(1);
    expect(versionOf({ outcome: 'lost', work, ...failure })).to.equal(2);
    expect(versionOf({ outcome: 'redriven', work, redriveId: 'r' })).to.equal(2);
  });

  it('are read as they were written, and have the id of their entry as the key', () => {
    const reports: readonly (readonly [WebhookReport, string])[] = [
      [{ outcome: 'failed', call, responseStatus: 503, ...failure }, 'c'],
      [{ outcome: 'delivered', call, responseStatus: 204 }, 'c'],
      [{ outcome: 'lost', work, ...failure }, 'd'],
      [{ outcome: 'notRedriven', work, redriveId: 'r', ...failure }, 'd'],
    ];
    for (const [report, id] of reports) {
      expect(codec.decode(codec.encode(report))).to.eql(report);
      expect(key(report)).to.equal(id);
    }
  });

  it('of a version that is not known are refused', () => {
    const bytes = codec.encode({ outcome: 'redriven', work, redriveId: 'r' });
    expect(() => codec.decode(Uint8Array.of(bytes[0] as number, 3, ...bytes.subarray(2)))).to.throw(
      'Not a webhook report of a known version',
    );
  });
});
