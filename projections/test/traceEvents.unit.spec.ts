import { expect } from 'chai';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { endingWithError } from '@roomwire/shared/runtime/endingWithError';
import { recordingTracing } from '@roomwire/testing/fakes/recordingTracing';
import { traceEvents } from '../src/followLog.js';
import { newEvent } from './support/history.js';

const now = Date.UTC(2026, 0, 1, 0, 10);
const clock = { now: () => now, monotonic: () => 0 };
const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

const recorded = (ageMs: number, traced = true): RecordedEvent => {
  const event = newEvent({ type: 'RoomDeleted', data: { roomId: 'r', appId: 'a' } }, 1);
  const occurredAt = new Date(now - ageMs).toISOString();
  const metadata = { ...event.metadata, occurredAt, ...(traced ? { traceparent } : {}) };
  return { ...event, metadata, stream: 's', revision: 0, position: '0000000000000001' };
};

describe('traces of events', () => {
  it('continue the trace of the command', () => {
    const { tracing, spans } = recordingTracing();
    traceEvents(tracing, [recorded(0), recorded(0, false)], clock);
    expect(spans).to.have.length(1);
    expect(spans[0]).to.include({ name: 'project RoomDeleted', ended: undefined });
    expect(spans[0]?.start).to.include({ kind: 'consumer', parent: traceparent });
  });

  it('are not created again when read models are rebuilt', () => {
    const { tracing, spans } = recordingTracing();
    traceEvents(tracing, [recorded(600_001), recorded(600_000)], clock);
    expect(spans).to.have.length(1);
  });

  it('end with the error of the batch', async () => {
    const { tracing, spans } = recordingTracing();
    const open = traceEvents(tracing, [recorded(0), recorded(0)], clock);
    const error = new Error('away');
    const outcome = await Promise.reject(error)
      .catch(endingWithError(...open))
      .catch((thrown: unknown) => thrown);
    expect(outcome).to.equal(error);
    expect(spans.map(({ ended }) => ended)).to.eql([error, error]);
  });

  it('are not created for an event without a trace', () => {
    expect(traceEvents(recordingTracing(false).tracing, [recorded(0)], clock)).to.eql([]);
  });
});
