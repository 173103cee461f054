import { startBroker } from '../engines/onEngines.js';
import { type Figure, inAlternation } from '../measure/comparison.js';
import { measureInterest, openInterest } from '../kafka/interest.js';
import { withStarted } from '../process/children.js';
import type { Scenario } from './scenario.js';

const rooms = 200;
const messagesARoom = 100;
const attendedCounts = [10, 1, 50, rooms];

const figures: readonly [Figure, ...Figure[]] = [
  { name: 'shareOfBytes', label: 'bytes read of all', unit: 'percent' },
  { name: 'shareOfPartitions', label: 'partitions read of all', unit: 'percent' },
  { name: 'bytesRead', label: 'bytes read', unit: 'kilobytes' },
  { name: 'bytesProduced', label: 'bytes produced', unit: 'kilobytes' },
  { name: 'recordsRead', label: 'records read', unit: 'count' },
  { name: 'lost', label: 'lost', unit: 'count' },
];

const notes = [
  `${messagesARoom} messages of 128 bytes in each of ${rooms} rooms; bytes as they are on the connections, with ` +
    `everything that the protocol adds: a count, not a time`,
];

export const partitions: Scenario = {
  name: 'partitions',
  summary: 'what a gateway reads from Kafka when it has subscribers in a few of 200 rooms',
  needsEngines: true,

  run: (ground) =>
    withStarted(async (started) => {
      ground.say('partitions: starting the broker');
      const { brokers } = started.add(await startBroker(ground));
      const interest = started.add(await openInterest(brokers));
      const peers = attendedCounts.map((attended) => ({
        name:
          attended === rooms
            ? `subscribers in all ${rooms} rooms`
            : `subscribers in ${attended} of ${rooms} rooms`,
        measure: () => measureInterest(interest, { rooms, attended, messagesARoom }),
      }));
      const rows = await inAlternation(peers, ground.settings.runs);
      return [{ title: 'What a gateway reads from Kafka', figures, rows, notes }];
    }),
};
