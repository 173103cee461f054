import { internalRoom, internalTopic } from '@roomwire/shared/domain/topic';
import { behaviour, perGateway } from './load.js';
import { zipfCounts } from './zipf.js';

/** A text in the form of a UUID, which says what it is of. */
export const idOf = (kind: string, number: number): string =>
  `${kind.padStart(8, '0')}-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** The projects of a cluster, the largest first; each belongs to an organization of its own. Connections are numbered through. */
export class Estate {
  readonly projects: number;
  readonly connections: number;
  /** The number of each project's first connection, and behind the last project that of all connections. */
  private readonly firsts: Int32Array;

  constructor(gateways: number) {
    this.projects = perGateway.projects * gateways;
    this.connections = perGateway.connections * gateways;
    const counts = zipfCounts(this.connections, this.projects, behaviour.zipf);
    this.firsts = new Int32Array(this.projects + 1);
    for (const [project, count] of counts.entries()) this.firsts[project + 1] = this.firstOf(project) + count;
  }

  firstOf(project: number): number {
    return this.firsts[project] as number;
  }

  sizeOf(project: number): number {
    return this.firstOf(project + 1) - this.firstOf(project);
  }

  /** Rooms are numbered within their project. */
  roomsOf(project: number): number {
    return Math.ceil(this.sizeOf(project) / behaviour.roomSize);
  }

  /** The number of the first connection in a room, and that behind its last one. */
  spanOf(project: number, room: number): readonly [first: number, end: number] {
    const first = this.firstOf(project) + room * behaviour.roomSize;
    return [first, Math.min(first + behaviour.roomSize, this.firstOf(project + 1))];
  }

  /** To which a connection is subscribed. */
  topicOf(connection: number): number {
    return connection % behaviour.topicsPerRoom;
  }
}

export const projectId = (project: number): string => idOf('1', project);
export const organizationId = (project: number): string => idOf('2', project);
export const gatewayIdOf = (gateway: number): string => idOf('3', gateway);
export const actorId = (connection: number): string => idOf('4', connection);

export const roomName = (project: number, room: number): string =>
  internalRoom(projectId(project), null, 'shop', `room-${room}`);

export const topicName = (project: number, room: number, topic: number): string =>
  internalTopic(roomName(project, room), `topic-${topic}`);
