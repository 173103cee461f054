import { shardCount } from '@roomwire/shared/domain/shards';
import type { Estate } from '../model/estate.js';
import { behaviour } from '../model/load.js';
import type { Placement } from '../model/placement.js';
import { groupCommandsAt, jobDone, jobTo, messageAt, retainedAt } from '../wire/records.js';
import type { Tally } from '../wire/tally.js';
import { createTopics, RoutedGateway, type Topics } from './routedGateway.js';

const { messageRate, topicsPerRoom, retainedEvery, groupRoomEvery, jobRoomEvery } = behaviour;

/** Gateways by their numbers, and what is counted of each. */
export type Tallies = ReadonlyMap<number, Tally>;

/**
 * What gateways fetch and decode in a second of the channels that are divided: one message to each topic of the cluster, which counts
 * for as many as are published there in a second, and what goes with it.
 */
export const measureRouting = async (
  estate: Estate,
  placement: Placement,
  gateways: number,
  tallies: Tallies,
): Promise<void> => {
  const topics = createTopics();
  const observed = [...tallies].map(([gateway, tally]) => new RoutedGateway(gateway, tally, topics));
  const offer = <C extends keyof Topics>(
    channel: C,
    record: Parameters<Topics[C]['append']>[0],
    name: string,
    weight: number,
  ): void => {
    const stored = topics[channel].append(record as never);
    for (const each of observed) each.offer(channel, stored, name, weight);
  };
  for (const each of observed) await each.start(gateways);
  await subscribeAll(estate, placement, observed);
  for (const { project, room, index } of roomsOf(estate)) {
    const [first, end] = estate.spanOf(project, room);
    const weight = ((end - first) * messageRate) / topicsPerRoom;
    for (let topic = 0; topic < topicsPerRoom; topic += 1) {
      const place = { project, room, topic };
      offer('messages', messageAt(place), 'messages', weight);
      if (index % retainedEvery === 0) offer('retained', retainedAt(place), 'retained', weight);
      if (index % groupRoomEvery === 0)
        for (const command of groupCommandsAt(place)) offer('messages', command, 'group commands', weight);
    }
  }
  const jobsPerGateway = (estate.connections * messageRate) / jobRoomEvery / gateways;
  for (let gateway = 0; gateway < gateways; gateway += 1)
    offer('jobs', jobTo(gateway, gateway % shardCount), 'job news', jobsPerGateway);
  for (let shard = 0; shard < shardCount; shard += 1)
    offer('jobs', jobDone(shard % gateways, shard), 'job news', (jobsPerGateway * gateways) / shardCount);
  for (const each of observed) await each.close();
};

/** `index` numbers them through. */
function* roomsOf(estate: Estate) {
  let index = 0;
  for (let project = 0; project < estate.projects; project += 1)
    for (let room = 0; room < estate.roomsOf(project); room += 1) yield { project, room, index: index++ };
}

const subscribeAll = async (
  estate: Estate,
  placement: Placement,
  observed: readonly RoutedGateway[],
): Promise<void> => {
  const byNumber = new Map(observed.map((each) => [each.gateway, each]));
  for (const { project, room } of roomsOf(estate)) {
    const here = new Map<RoutedGateway, Set<number>>();
    const [first, end] = estate.spanOf(project, room);
    for (let connection = first; connection < end; connection += 1) {
      const gateway = byNumber.get(placement[connection] as number);
      if (gateway === undefined) continue;
      const topics = here.get(gateway) ?? new Set();
      here.set(gateway, topics.add(estate.topicOf(connection)));
    }
    for (const [gateway, topics] of here) await gateway.subscribe(project, room, topics);
  }
};
