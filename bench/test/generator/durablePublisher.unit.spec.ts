import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import type { Connection } from '../../src/generator/connection.js';
import { DurablePublisher } from '../../src/generator/durablePublisher.js';
import { acknowledgedFrame } from '../../src/generator/frames.js';
import { Samples } from '../../src/measure/samples.js';

const answer = Buffer.from([0x82, 3, 1, 2, 3]);
const refusal = Buffer.from([0x82, 4, 1, 2, 3, 4]);

const publishing = (topics: readonly string[]) => {
  const written: Buffer[] = [];
  const latencies = new Samples();
  const connection = { write: (bytes: Buffer) => void written.push(bytes) } as unknown as Connection;
  const publisher = new DurablePublisher(connection, topics, latencies);
  const receive = (...frames: readonly Buffer[]): void => {
    const chunk = Buffer.concat(frames);
    publisher.receive(chunk, chunk.length);
  };
  return { publisher, written, latencies, receive };
};

describe('A connection that publishes and is answered', () => {
  it('publishes to its rooms in turn', () => {
    const topics = ['app/a/load', 'app/b/load'];
    const { publisher, written } = publishing(topics);
    for (let count = 0; count < 4; count += 1) publisher.publish(0);
    const frames = topics.map(acknowledgedFrame) as [Buffer, Buffer];
    expect(written).to.have.deep.members([...frames, ...frames]);
    expect(written[0]).not.to.deep.equal(written[1]);
  });

  it('counts answers, and tells how many a chunk has brought', () => {
    const { publisher, latencies, receive } = publishing(['app/a/load']);
    const brought: number[] = [];
    publisher.onAnswers = (count) => void brought.push(count);
    for (let count = 0; count < 3; count += 1) publisher.publish(performance.now());
    receive(answer, answer);
    expect(publisher).to.include({ answered: 2, waiting: 1, unexpected: 0 });
    receive(answer);
    expect(brought).to.deep.equal([2, 1]);
    expect(latencies.count).to.equal(3);
  });

  it('counts what is no answer', () => {
    const { publisher, receive } = publishing(['app/a/load']);
    publisher.publish(0);
    receive(answer, answer);
    publisher.publish(0);
    receive(refusal);
    expect(publisher).to.include({ answered: 1, unexpected: 2 });
  });
});
