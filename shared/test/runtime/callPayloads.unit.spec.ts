import { expect } from 'chai';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { loadCallPayload } from '../../src/runtime/callPayloads.js';
import { payloadHash } from '../../src/wire/webhooks/callPayload.js';

const sent = { requestHeaders: { 'X-Key': 'k' }, requestBody: { data: 'ü' } };
const content = Buffer.from(JSON.stringify(sent));

describe('[HOOK-DLQ-3] the payload of a call', () => {
  const retentionMs = 1_000;

  const load = async (stored: Buffer | undefined, payload: object, ageMs = 0) => {
    const { logger, lines } = createRecordingLogger();
    const clock = new ManualClock();
    const createdAt = new Date(clock.now() - ageMs).toISOString();
    const payloads = { limits: { retentionMs, quotaBytes: 1 }, get: async () => stored };
    const entry = { dlqId: 'd', createdAt, payload: payload as { id: string; sha256: string } };
    return { loaded: await loadCallPayload({ payloads, clock, logger }, entry), lines };
  };
  const reference = { id: 'd', sha256: payloadHash(content) };

  it('is what was stored, as long as it is kept', async () => {
    expect(await load(content, reference)).to.eql({ loaded: sent, lines: [] });
    expect(await load(undefined, reference)).to.eql({ loaded: undefined, lines: [] });
  });

  it('is not used where it is not what its hash says, which is an error', async () => {
    const changed = Buffer.from(content.toString().replace('"k"', '"x"'));
    const { loaded, lines } = await load(changed, reference);
    expect(loaded).to.equal(undefined);
    expect(lines).to.have.lengthOf(1);
    expect(lines[0]).to.deep.include({ level: 'error', fields: { dlqId: 'd' } });
  });

  it('is that in the event of an earlier version for the same time', async () => {
    expect((await load(undefined, sent, retentionMs - 1)).loaded).to.eql(sent);
    expect((await load(undefined, sent, retentionMs)).loaded).to.equal(undefined);
  });
});
