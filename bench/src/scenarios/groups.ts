import type { Figure } from '../measure/comparison.js';
import { startRoomwire } from '../peers/roomwire.js';
import { withStarted } from '../process/children.js';
import { measureServers, peers, prepareHall, type Server, startServers, workColumns } from './peers.js';
import { warmUpSeconds, type Scenario } from './scenario.js';

const small = 4;
const large = 64;
const publishesInFlight = 256;

interface Contender extends Server {
  readonly members: number;
  readonly group: string | undefined;
  readonly acks: boolean;
}

export const groups: Scenario = {
  name: 'groups',
  summary: `worker groups of ${small} and ${large}, each message acknowledged: messages a second`,

  run: (ground) =>
    withStarted(async (started) => {
      const { cores, folder, settings, say } = ground;
      say('groups: starting the servers');
      const recording = { ROOMWIRE_MESSAGE_RECORDING: 'true' };
      const roomwire = started.add(
        await startRoomwire(await folder.inside('groups'), cores.server, recording),
      );
      const { topic, login } = await prepareHall(roomwire, large);
      const others = await startServers(ground, started, [peers.nats]);
      const contenders: readonly Contender[] = [
        ...[small, large].map((members) => ({
          ...{ ...roomwire, login, members, group: `workers-${members}`, acks: true },
          name: `Roomwire, ${members} that acknowledge`,
        })),
        {
          ...roomwire,
          login,
          members: 1,
          group: undefined,
          acks: false,
          name: 'Roomwire, one subscriber, no group',
        },
        ...others.flatMap((other) =>
          [small, large].map((members) => ({
            ...{ ...other, members, group: `workers-${members}`, acks: false },
            name: `${other.name}, queue group of ${members}`,
          })),
        ),
      ];
      const rows = await measureServers(ground, started, contenders, (one) => ({
        kind: 'groups',
        ...{ login: one.login, port: one.port, serverId: one.processId },
        ...{ topic, members: one.members, group: one.group, acks: one.acks },
        ...{ window: publishesInFlight, warmUpSeconds, seconds: settings.seconds },
      }));
      return [{ title, figures, rows, notes }];
    }),
};

const title = `Worker groups, each message for one member, saturated (${publishesInFlight} in flight)`;

const figures: readonly [Figure, ...Figure[]] = [
  { name: 'deliveriesPerSecond', label: 'messages/s', unit: 'rate' },
  { name: 'evenness', label: 'least busy / even share', unit: 'share' },
  ...workColumns,
];

const notes = [
  '128-byte messages; Roomwire has messages on record, so that each has an id, and each is acknowledged by a frame of its own; the topic is not logged',
  'NATS: core queue groups, whose members acknowledge nothing and are picked by chance',
];
