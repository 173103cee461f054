import { expect } from 'chai';
import { auditHeadsStream } from '@roomwire/shared/domain/auditHeads';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import { rejectionOf } from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
import { domainEventFeed } from '@roomwire/shared/wire/bus/domainEventFeed';
import { feedEvents, feedMark, feedProgress, feedUnconfirmed } from '../src/feed.js';
import { event, feedWorld, redriven } from './support/feedWorld.js';
import { positionOf } from './support/history.js';
import { writtenLog } from './support/writtenLog.js';

/** A bus that takes events up to a size. */
const busUpTo = (characters: number) => {
  const sent: { readonly channel: unknown; readonly event: RecordedEvent; readonly until: string }[] = [];
  const bus = {
    async send(channel: unknown, event: RecordedEvent, until: string) {
      if (JSON.stringify(event.data).length > characters) throw new RangeError('too large');
      sent.push({ channel, event, until });
    },
  } as unknown as MessageBus;
  return { bus, sent };
};

const withData = (data: object): RecordedEvent => ({ ...event(1), data });

describe('the feed of events', () => {
  it('is on its channel, in order, and stored', async () => {
    const { bus, sent } = busUpTo(1_000);
    await feedEvents(bus, [event(1), event(2)]);
    expect(sent).to.eql([1, 2].map((n) => ({ channel: domainEventFeed, event: event(n), until: 'stored' })));
  });

  it('lacks what the service writes for itself', async () => {
    const { bus, sent } = busUpTo(1_000);
    await feedEvents(bus, [{ ...event(1), stream: auditHeadsStream }, event(2)]);
    expect(sent.map((each) => each.event.position)).to.eql([positionOf(2)]);
  });

  it('has an event that is too large for the bus without its fields of more than 64 KiB', async () => {
    const { bus, sent } = busUpTo(70_000);
    // Two quotes.
    const kept = 'x'.repeat(64 * 1024 - 2);
    const large = withData({ id: 'r', kept, large: `${kept}x` });
    await feedEvents(bus, [large]);
    expect(sent).to.eql([
      { channel: domainEventFeed, event: { ...large, data: { id: 'r', kept } }, until: 'stored' },
    ]);
  });

  it('has large fields where the bus takes them', async () => {
    const { bus, sent } = busUpTo(100_000);
    const large = withData({ id: 'r', large: 'x'.repeat(70_000) });
    await feedEvents(bus, [large]);
    expect(sent[0]?.event).to.equal(large);
  });

  it('fails with the bus, and sends nothing a second time', async () => {
    let sends = 0;
    const send = async () => {
      sends += 1;
      throw new EngineUnavailable('message bus');
    };
    const failure = await rejectionOf(feedEvents({ send } as unknown as MessageBus, [event(1)]));
    expect(failure).to.be.instanceOf(EngineUnavailable);
    expect(sends).to.equal(1);
  });
});

describe('the progress of the feed', () => {
  it('is written with a batch once something is confirmed', () => {
    expect(feedProgress(undefined)).to.eql([]);
    const doc = { feed: 'domain-events', position: positionOf(3) };
    expect(feedProgress(positionOf(3))).to.eql([{ put: 'feedProgress', id: 'domain-events', doc }]);
  });

  it('is found again', async () => {
    const { deps, state } = feedWorld(writtenLog());
    expect(await feedMark(deps.views)).to.equal(undefined);
    state.written = positionOf(3);
    expect(await feedMark(deps.views)).to.equal(positionOf(3));
  });
});

describe('what the bus has not confirmed', () => {
  it('is fed from the mark up to the checkpoint, with the calls that were redriven there', async () => {
    const log = writtenLog([redriven('a', 1), event(2)], [event(3), redriven('b', 4)], [redriven('c', 5)]);
    const { deps, fed, calls } = feedWorld(log);
    await feedUnconfirmed(deps, positionOf(2), positionOf(4));
    expect(fed).to.eql([3, 4].map(positionOf));
    expect(calls.map(({ callId }) => callId)).to.eql(['b']);
  });

  it('is everything where nothing is marked', async () => {
    const { deps, fed } = feedWorld(writtenLog([event(1)], [event(2)]));
    await feedUnconfirmed(deps, undefined, positionOf(2));
    expect(fed).to.eql([1, 2].map(positionOf));
  });

  it('is not looked for beyond the checkpoint', async () => {
    const log = writtenLog([event(1), event(2)], [event(3)]);
    await feedUnconfirmed(feedWorld(log).deps, undefined, positionOf(1));
    expect(log.read).to.have.length(1);
  });
});
