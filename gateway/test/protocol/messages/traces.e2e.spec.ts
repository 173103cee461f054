import { expect } from 'chai';
import { liveMessages, type LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { Channel } from '@roomwire/shared/wire/bus/channel';
import { eventually } from '@roomwire/testing/run/eventually';
import { recordingTracing } from '@roomwire/testing/fakes/recordingTracing';
import { overlaid } from '../../support/overlaid.js';
import { World } from '../../support/world.js';

describe('a traced message', () => {
  let world: World;
  let sent: LiveMessage[];

  afterEach(() => world.close());

  /** A world whose bus reports what is sent on the live channel, and accepts it only while allowed. */
  const open = async (isKept: boolean, mayTake: () => boolean = () => true) => {
    const { tracing, spans } = recordingTracing(isKept);
    sent = [];
    const listening = (bus: MessageBus): MessageBus =>
      overlaid(bus, {
        send: ((channel: Channel<unknown>, record: unknown, acknowledgement) => {
          if (channel.name === liveMessages.name) sent.push(record as LiveMessage);
          if (!mayTake()) return Promise.reject(new EngineUnavailable('message bus'));
          return bus.send(channel, record, acknowledgement);
        }) as MessageBus['send'],
      });
    world = await World.open({ tracing, bus: listening });
    const topic = await world.newsroom();
    const [reader, writer] = [await world.join(), await world.join()];
    return { spans, topic, reader, writer };
  };

  it('carries the trace of its publish, and is delivered within it', async () => {
    const { spans, topic, reader, writer } = await open(true);
    await reader.subscribe(topic);
    await writer.ask({ type: 'publish', topic, data: 'secret', msgRef: 'm', qos: 1 });
    expect(await reader.next()).to.include({ data: 'secret' });
    await eventually(() => spans.every(({ ended }) => ended === null));
    expect(spans.map(({ name, start: { kind } }) => [name, kind])).to.eql([
      ['publish', 'producer'],
      ['deliver', 'consumer'],
    ]);
    expect(sent[0]?.traceparent).to.equal(spans[0]?.traceparent);
    expect(spans[1]?.start.parent).to.equal(spans[0]?.traceparent);
    expect(spans[1]?.attributes).to.include({ 'roomwire.deliveries': 1 });
    expect(spans[0]?.attributes).to.include({ 'roomwire.qos': 1, 'roomwire.project_id': world.projectId });
    expect(JSON.stringify(spans)).to.not.include('secret').and.not.include('lobby');
  });

  it('ends with an error when the bus refuses it', async () => {
    const { spans, topic, writer } = await open(true, () => false);
    const refused = await writer.ask({ type: 'publish', topic, data: 1, msgRef: 'm' });
    expect(refused).to.include({ error: 'broker_unavailable' });
    expect(spans).to.have.length(1);
    expect(spans[0]?.ended).to.be.instanceOf(EngineUnavailable);
  });

  it('is delivered to the member of a worker group within it', async () => {
    const { spans, topic, reader, writer } = await open(true);
    await reader.subscribe(topic, { loadBalance: true, loadBalanceGroup: 'workers' });
    writer.publish(topic, 1);
    expect(await reader.next()).to.include({ data: 1 });
    const member = spans.find(({ name }) => name === 'deliver to group member');
    expect(member?.start.parent).to.equal(spans[0]?.traceparent);
    await eventually(() => spans.every(({ ended }) => ended === null));
  });

  it('carries nothing when the trace is not sampled', async () => {
    const { topic, reader, writer } = await open(false);
    await reader.subscribe(topic);
    writer.publish(topic, 1);
    expect(await reader.next()).to.include({ data: 1 });
    expect(sent.map(({ traceparent }) => traceparent)).to.eql([undefined]);
  });
});
