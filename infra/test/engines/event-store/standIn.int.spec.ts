import {
  BACKWARDS,
  END,
  EventStoreDBClient,
  excludeSystemEvents,
  jsonEvent,
  START,
  type AllStreamSubscription,
  type EventData,
  type Position,
} from '@eventstore/db-client';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { credentials } from '@grpc/grpc-js';
import { rejectionOf } from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { expect } from 'chai';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startEventStore, type EventStoreEngine } from '@roomwire/testing/engines/eventStore';

/** With credentials, which an insecure connection ignores, the client appends one by one and not in batches. */
const oneByOne = { credentials: { username: 'any', password: 'any' } };

const events = (count: number): EventData[] =>
  Array.from({ length: count }, (_, number) => jsonEvent({ type: 'Counted', data: { number } }));

describe('the stand-in for EventStoreDB', () => {
  let engine: EventStoreEngine;
  let client: EventStoreDBClient;
  beforeEach(async () => {
    engine = await startEventStore();
    client = EventStoreDBClient.connectionString(engine.url);
  });
  afterEach(async () => {
    await client.dispose();
    await engine.close();
  });

  const append = (
    stream: string,
    expectedRevision: bigint | 'any' | 'no_stream' | 'stream_exists',
    batch = events(1),
  ) => client.appendToStream(stream, batch, { ...oneByOne, expectedRevision });

  const numbersIn = async (stream: string, options: Parameters<typeof client.readStream>[1] = {}) => {
    const found: bigint[] = [];
    for await (const { event } of client.readStream(stream, options)) found.push(event!.revision);
    return found.map(Number);
  };

  describe('appends', () => {
    it('under any, an exact, no, or an existing revision', async () => {
      expect(await append('a', 'no_stream')).to.include({ nextExpectedRevision: 0n });
      expect(await append('a', 0n, events(2))).to.include({ nextExpectedRevision: 2n });
      expect(await append('a', 'any')).to.include({ nextExpectedRevision: 3n });
      expect(await append('a', 'stream_exists')).to.include({ nextExpectedRevision: 4n });
      expect(await numbersIn('a')).to.deep.equal([0, 1, 2, 3, 4]);
    });

    it('refuses an unexpected revision, and names the actual one', async () => {
      await append('a', 'no_stream', events(3));
      for (const wrong of ['no_stream', 1n, 3n] as const) {
        expect(await rejectionOf(append('a', wrong))).to.include({
          type: 'wrong-expected-version',
          actualVersion: 2n,
        });
      }
      for (const wrong of ['stream_exists', 0n] as const) {
        expect(await rejectionOf(append('b', wrong))).to.include({ actualVersion: 'no_stream' });
      }
    });

    it('writes the same events once, whatever the stream has received since', async () => {
      const [one, two] = [events(2), events(2)];
      const first = await append('a', 'no_stream', one);
      await append('a', 1n, two);
      expect(await append('a', 'no_stream', one)).to.deep.equal(first);
      expect(await append('a', 'any', one)).to.deep.equal(first);
      expect(await rejectionOf(append('a', 'no_stream', [one[0]!, ...two]))).to.include({
        type: 'wrong-expected-version',
      });
      expect(await numbersIn('a')).to.have.length(4);
    });

    it('accepts at most a megabyte at once', async () => {
      const large = () => jsonEvent({ type: 'Large', data: { text: 'x'.repeat(600_000) } });
      await append('a', 'no_stream', [large()]);
      expect(await rejectionOf(append('a', 0n, [large(), large()]))).to.include({
        type: 'maximum-append-size-exceeded',
        maxAppendSize: 1024 * 1024,
      });
      expect(await numbersIn('a')).to.have.length(1);
    });

    it('writes nothing of an append that is cancelled half-way', async () => {
      const address = `127.0.0.1:${engine.port}`;
      const raw = new streamsService.StreamsClient(address, credentials.createInsecure());
      const call = raw.append(() => undefined).on('error', () => undefined);
      await promisify(raw.waitForReady.bind(raw))(Date.now() + 5_000);
      for (const request of requestsFor('cancelled', 10_000)) call.write(request);
      await pause(5); // Some of it has arrived.
      call.cancel();
      await pause(200);
      expect(await rejectionOf(numbersIn('cancelled'))).to.have.property('type', 'stream-not-found');
      raw.close();
    });

    it('does not accept batches, although a server of this version could', async () => {
      expect(await rejectionOf(client.appendToStream('a', events(1)))).to.have.property('code', 12);
    });
  });

  describe('reads', () => {
    it('a stream from a revision, in both directions, up to a count', async () => {
      await append('a', 'no_stream', events(10));
      expect(await numbersIn('a', { fromRevision: 7n })).to.deep.equal([7, 8, 9]);
      expect(await numbersIn('a', { maxCount: 2 })).to.deep.equal([0, 1]);
      expect(await numbersIn('a', { direction: BACKWARDS, fromRevision: END, maxCount: 3 })).to.deep.equal([
        9, 8, 7,
      ]);
      expect(await numbersIn('a', { direction: BACKWARDS, fromRevision: 1n })).to.deep.equal([1, 0]);
      expect(await numbersIn('a', { fromRevision: 10n })).to.deep.equal([]);
      expect(await rejectionOf(numbersIn('b'))).to.have.property('type', 'stream-not-found');
    });

    it('the whole log, from a position or back from it, at positions with gaps', async () => {
      await append('a', 'no_stream', events(3));
      const all = await placesIn(client.readAll());
      expect(all).to.have.length(7); // The server's own four come first.
      for (const [index, place] of all.entries()) {
        expect(await placesIn(client.readAll({ fromPosition: place }))).to.deep.equal(all.slice(index));
        const before = await placesIn(client.readAll({ fromPosition: place, direction: BACKWARDS }));
        expect(before.reverse()).to.deep.equal(all.slice(0, index));
        if (index > 0) expect(place.commit - all[index - 1]!.commit > 100n).to.equal(true);
      }
      expect(await placesIn(client.readAll({ fromPosition: END }))).to.deep.equal([]);
    });

    it('fails at a position between two records as at a failure of its own, with a filter and without', async () => {
      await append('a', 'no_stream', events(3));
      const { commit, prepare } = (await placesIn(client.readAll())).at(-2)!;
      const fromPosition = { commit: commit + 1n, prepare: prepare + 1n };
      const read = await rejectionOf(placesIn(client.readAll({ fromPosition })));
      expect(read).to.include({ code: 2, message: '2 UNKNOWN: Unexpected ReadAllResult: Error' });
      const options = { fromPosition, filter: excludeSystemEvents() };
      const filtered = await rejectionOf(placesIn(client.subscribeToAll(options)));
      expect(filtered).to.include({ code: 2, message: '2 UNKNOWN: Exception was thrown by handler.' });
    });

    it('finds nothing beyond the end, and a subscription has caught up there', async () => {
      await append('a', 'no_stream', events(3));
      const { commit, prepare } = (await placesIn(client.readAll())).at(-1)!;
      const fromPosition = { commit: commit + 100_000n, prepare: prepare + 100_000n };
      expect(await placesIn(client.readAll({ fromPosition }))).to.deep.equal([]);
      const told: string[] = [];
      const subscription = client.subscribeToAll({ fromPosition });
      tellAll(subscription, told);
      await eventually(() => told.includes('caught up'));
      await subscription.unsubscribe();
    });
  });

  describe('subscriptions', () => {
    it('deliver the existing events, the end of the catch-up, without a checkpoint before it where they are few, and new events', async () => {
      await append('a', 'no_stream', events(3));
      const told: string[] = [];
      const filter = excludeSystemEvents({
        checkpointReached: () => void told.push('checkpoint'),
        checkpointInterval: 8,
      });
      const subscription = client.subscribeToAll({ fromPosition: START, filter });
      tellAll(subscription, told);
      await eventually(() => told.includes('caught up'));
      await append('a', 2n, events(2));
      await eventually(() => told.at(-1) === 'Counted 4');
      // A type alone does not identify a system event.
      expect(told).to.deep.equal([
        'update 0',
        'Counted 0',
        'Counted 1',
        'Counted 2',
        'caught up',
        'Counted 3',
        'Counted 4',
      ]);
      await subscription.unsubscribe();
      await eventually(async () => (await engine.subscriptionStarts()).length === 0);
    });
  });

  describe('in a cluster', () => {
    const clients: EventStoreDBClient[] = [];
    const another = (): EventStoreDBClient => {
      const made = EventStoreDBClient.connectionString(engine.url);
      clients.push(made);
      return made;
    };
    afterEach(async () => {
      for (const made of clients.splice(0)) await made.dispose();
    });

    it('sends what requires the leader to it, subscriptions included', async () => {
      await engine.pointToLeader(2113);
      const requiresLeader = { requiresLeader: true };
      for (const attempt of [
        placesIn(another().readAll(requiresLeader)),
        placesIn(another().subscribeToAll(requiresLeader)),
        another().appendToStream('a', events(1), { ...oneByOne, ...requiresLeader }),
      ]) {
        const refusal = await rejectionOf(attempt);
        expect(refusal).to.include({ type: 'not-leader', code: 5 });
        expect(refusal).to.have.property('message').that.includes('Leader info available');
        expect(refusal).to.have.deep.property('leader', { address: '127.0.0.1', port: 2113 });
      }
    });

    it('without a quorum refuses appends as if it failed, and answers reads of the whole log', async () => {
      await append('a', 'no_stream');
      await engine.refuseAppends(1);
      expect(await rejectionOf(append('a', 'any'))).to.include({
        ...{ code: 2, message: '2 UNKNOWN: Could not recognize Server Is Not Ready' },
      });
      expect(await placesIn(client.readAll())).to.have.length(5);
    });

    it('keeps a subscription open when it stops leading, and breaks it within a second when it is killed', async () => {
      const told: string[] = [];
      const subscription = another().subscribeToAll({ requiresLeader: true, filter: excludeSystemEvents() });
      tellAll(subscription, told);
      const broken = new Promise<unknown>((resolve) => subscription.on('error', resolve));
      await eventually(() => told.includes('caught up'));
      await engine.pointToLeader(2113);
      await append('a', 'no_stream');
      await eventually(() => told.at(-1) === 'Counted 0');
      const killedAt = performance.now();
      await engine.kill('SIGKILL');
      expect(await broken).to.include({ type: 'unavailable', code: 14 });
      expect(performance.now() - killedAt).to.be.lessThan(1_000);
      await engine.restart();
    });
  });

  it('is born with events of its own, of which none is for a client', async () => {
    const streams = new Set<string>();
    for await (const { event } of client.readAll()) streams.add(event!.streamId);
    expect([...streams]).to.include('$$$scavenges');
    expect([...streams].filter((stream) => !stream.startsWith('$'))).to.eql([]);
  });

  it('keeps what it has acknowledged when it is killed, and truncates an incomplete record', async () => {
    const { path, remove } = await temporaryFolder();
    const kept = await startEventStore({ dataDir: path });
    const other = EventStoreDBClient.connectionString(kept.url);
    await other.appendToStream('a', events(3), oneByOne);
    const before = await placesIn(other.readAll());
    await kept.kill('SIGKILL');
    const file = join(path, 'events.jsonl');
    const text = await readFile(file, 'utf8');
    await appendFile(file, text.slice(0, 100));
    await kept.restart();
    await eventually(async () => {
      const places = await placesIn(other.readAll()).catch(() => []);
      return places.length === before.length;
    });
    expect(await readFile(file, 'utf8')).to.equal(text);
    await other.dispose();
    await kept.close();
    await remove();
  });
});

/** The first says where to, each of the others is an event. */
const requestsFor = (stream: string, count: number): streams.AppendReq[] => {
  const options = new streams.AppendReq.Options()
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(stream)))
    .setAny(new shared.Empty());
  const proposed = events(count).map(({ id, type, contentType }) => {
    const message = new streams.AppendReq.ProposedMessage().setId(new shared.UUID().setString(id));
    message.getMetadataMap().set('type', type).set('content-type', contentType);
    return new streams.AppendReq().setProposedMessage(message);
  });
  return [new streams.AppendReq().setOptions(options), ...proposed];
};

const placesIn = async (reading: AsyncIterable<{ event?: { position: Position } }>): Promise<Position[]> => {
  const places: Position[] = [];
  for await (const { event } of reading) places.push(event!.position);
  return places;
};

const tellAll = (subscription: AllStreamSubscription, told: string[]): void => {
  subscription
    .on('caughtUp', () => told.push('caught up'))
    .on('data', ({ event }) => told.push(`${event?.type} ${event?.revision}`));
};
