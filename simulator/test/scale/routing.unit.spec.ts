import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import { partitionOf } from '@roomwire/shared/adapters/message-bus/kafka/recordFormat';
import { Estate, roomName } from '../../src/scale/model/estate.js';
import { behaviour } from '../../src/scale/model/load.js';
import { measureRouting } from '../../src/scale/measure/routing.js';
import { Tally } from '../../src/scale/wire/tally.js';

const { messageRate, topicsPerRoom } = behaviour;
const estate = new Estate(2);
const partitions = 32;

/** Two gateways: what is listed here is on the second. */
const onSecond = async (connections: readonly number[]): Promise<Tally> => {
  const placement = new Uint16Array(estate.connections);
  for (const connection of connections) placement[connection] = 1;
  const tally = new Tally();
  await measureRouting(estate, placement, 2, new Map([[1, tally]]));
  return tally;
};

/** What is published in a second in the rooms of one partition. */
const publishedIn = (partition: number): number => {
  let connections = 0;
  for (let project = 0; project < estate.projects; project += 1)
    for (let room = 0; room < estate.roomsOf(project); room += 1) {
      if (partitionOf(Buffer.from(roomName(project, room)), partitions) !== partition) continue;
      const [first, end] = estate.spanOf(project, room);
      connections += end - first;
    }
  return connections * messageRate;
};

describe('what a simulated gateway reads', () => {
  it('is the partition of its one room, of which it decodes that room alone, also for topics that nobody here has', async () => {
    const project = 5;
    const [first, end] = estate.spanOf(project, 0);
    const tally = await onSecond([first]);
    const partition = partitionOf(Buffer.from(roomName(project, 0)), partitions);
    expect(tally.of('messages').records).to.be.closeTo(publishedIn(partition), 1e-6);
    const decoded = (end - first) * messageRate;
    expect(tally.of('messages decoded').records).to.be.closeTo(decoded, 1e-6);
    expect(tally.of('messages for nobody').records).to.be.closeTo(decoded * (1 - 1 / topicsPerRoom), 1e-6);
  });

  it('is nothing of the messages where it has no room, and all that is retained', async () => {
    const tally = await onSecond([]);
    expect(tally.of('messages').records).to.equal(0);
    expect(tally.of('retained').records).to.be.above(0);
  });
});
