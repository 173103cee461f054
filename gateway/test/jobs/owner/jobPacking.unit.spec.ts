import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { groupOf } from '@roomwire/testing/contracts/job-store/storedJobs';
import { liveMessage } from '@roomwire/testing/builders/liveMessage';
import { JobPacking } from '../../../src/jobs/owner/jobPacking.js';

describe('the message of a job, as it is stored', () => {
  const group = groupOf('g');
  const packing = new JobPacking(group);
  const common = { room: group.room, topic: group.topic, projectId: group.owners.projectId };

  const messages: Readonly<Record<string, Partial<LiveMessage>>> = {
    plain: {},
    'of a backend, and empty': { publisher: '', body: new Uint8Array(0), qos: 2 },
    'with filters': { filters: ['eu', 'ü', ''] },
    traced: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
    retained: { retention: { stamp: 's', appId: 'app', roomId: 'room', accessScopeId: null } },
    'of a topic with history': {
      kept: {
        appId: 'app',
        roomId: 'room',
        accessScopeId: 'scope',
        seconds: 60,
        messages: 7,
      },
      place: { epoch: 1_700_000_000_000, offset: 2 ** 40 },
    },
  };

  for (const [name, fields] of Object.entries(messages))
    it(`is unpacked as it was packed: ${name}`, () => {
      const message = liveMessage({ ...common, body: new Uint8Array([1, 2, 255]), qos: 1, ...fields });
      const unpacked = packing.unpack(packing.pack(message));
      const { traceparent, kept, place } = message;
      expect({ ...unpacked, body: [...unpacked.body] }).to.eql({
        ...{ id: message.id, ...common, publisher: message.publisher, qos: message.qos },
        ...{ filters: message.filters, retention: message.retention, body: [...message.body] },
        ...(traceparent && { traceparent }),
        ...(kept && { kept }),
        ...(place && { place }),
      });
    });

  it('does not hold what all jobs of the group have in common', () => {
    const packed = Buffer.from(packing.pack(liveMessage(common)));
    expect(packed.includes(group.topic)).to.equal(false);
  });
});
