import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { reactions } from '@roomwire/testing/fakes/webhookEndpoint';
import { ConsumerWorld } from '../support/consumerWorld.js';

const { answer, inTurn } = reactions;
const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

describe('traces of webhook calls', () => {
  let world: ConsumerWorld;

  beforeEach(async () => void (world = await ConsumerWorld.open()));
  afterEach(() => world.close());

  const told = (count: number): Promise<void> =>
    eventually(() => world.outcomes.length >= count, { what: `${count} outcomes` });

  it('continue the trace of the publish, with a span for each attempt', async () => {
    world.endpoint.reaction = inTurn(answer(500), answer(204));
    const { callId } = await world.put(world.endpoint.url, { traceparent });
    await told(2);
    const { spans } = world.tracing;
    expect(spans.map(({ name, start }) => [name, start.kind, start.parent])).to.eql([
      ['call webhook', 'client', traceparent],
      ['call webhook', 'client', traceparent],
    ]);
    const [failed, delivered] = spans;
    expect(failed?.attributes).to.eql({
      'http.request.method': 'POST',
      'http.request.resend_count': 0,
      'http.response.status_code': 500,
      'roomwire.webhook_id': callId,
      'roomwire.webhook_kind': 'trigger',
      'roomwire.project_id': 'p1',
      'roomwire.app_id': 'app1',
    });
    expect(failed?.ended).to.have.property('name', '5xx');
    expect(delivered?.attributes).to.include({
      'http.request.resend_count': 1,
      'http.response.status_code': 204,
    });
    expect(delivered?.ended).to.equal(null);
  });

  it('survive the process', async () => {
    world.endpoint.reaction = inTurn(answer(500), answer(204));
    await world.closeConsumers();
    await world.put(world.endpoint.url, { traceparent });
    await world.restart();
    await told(2);
    expect(world.tracing.spans.map(({ start }) => start.parent)).to.eql([traceparent, traceparent]);
  });

  it('report only that an endpoint is unreachable', async () => {
    const { url } = world.endpoint;
    await world.endpoint.close();
    await world.put(url, { traceparent });
    await told(3);
    for (const { attributes, ended } of world.tracing.spans) {
      expect(attributes).to.not.have.property('http.response.status_code');
      expect(ended).to.have.property('name', 'unreachable');
    }
    expect(JSON.stringify(world.tracing.spans)).to.not.include(new URL(url).port);
  });

  it('are not started for a call whose publish is not traced', async () => {
    await world.put(world.endpoint.url);
    await told(1);
    expect(world.tracing.spans).to.eql([]);
  });
});
