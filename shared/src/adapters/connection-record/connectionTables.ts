import { Buffer } from 'node:buffer';
import { decode, Encoder } from '@msgpack/msgpack';
import type { Database } from 'lmdb';
import type { ConnectionEnd, RecordedFact, TimelineQuery } from '../../ports/connectionRecord.js';
import type { ConnectionFact } from '../../wire/bus/connectionFacts.js';
import { openDurableEnvironment, type DurableEnvironment } from '../lmdb/durableEnvironment.js';
import { FollowProgress } from '../lmdb/followProgress.js';
import {
  foldFact,
  placeOfConnection,
  roomsOf,
  stateOf,
  type ConnectionState,
  type FoldedConnection,
} from './connectionFold.js';
import type { ConnectionList, ListedConnection } from './findConnections.js';
import type { FoldedGateway } from './gatewayFold.js';

/** Within an organization: what is listed, the place of the connection among them, and its id. */
type ListKey = [organizationId: string, list: string, place: string];
type FactKey = [connectionId: string, place: string];
type TimeKey = [at: number, connectionId: string, place: string];
type HandOutKey = [projectId: string, messageId: string, place: string, connectionId: string];

/** Sorts behind every place and every id. */
const end = '~';
/** What the keys of a fact take in all tables, about. */
const keysBytes = 200;

const encoder = new Encoder({ ignoreUndefined: true });

const keyOfList = (list: ConnectionList): string => {
  switch (list.of) {
    case 'room':
      return `room ${list.room}`;
    case 'actor':
      return `actor ${list.actorTokenId}`;
    case 'project':
      return `project ${list.projectId}`;
    default:
      return list.of;
  }
};

/** The record of connections in an LMDB environment. Everything that writes must run within a transaction of the environment. */
export class ConnectionTables {
  readonly environment: DurableEnvironment;
  readonly progress: FollowProgress;
  private readonly connections: Database<FoldedConnection, string>;
  private readonly lists: Database<string, ListKey>;
  private readonly rooms: Database<boolean, [connectionId: string, room: string]>;
  /** Those that have not closed, as far as was seen. */
  private readonly ofGateways: Database<
    boolean,
    [gateway: string, state: ConnectionState, connectionId: string]
  >;
  /** Whose they are. */
  private readonly projects: Database<string, string>;
  private readonly facts: Database<Buffer, FactKey>;
  private readonly byTime: Database<boolean, TimeKey>;
  private readonly handOuts: Database<boolean, HandOutKey>;
  private readonly gateways: Database<FoldedGateway, string>;
  private readonly counts: Database<number, 'bytes' | 'forgotten' | 'next'>;

  constructor(path: string) {
    this.environment = openDurableEnvironment(path);
    const { root } = this.environment;
    this.connections = root.openDB('connections', { encoding: 'json' });
    this.lists = root.openDB('lists', { encoding: 'string' });
    this.rooms = root.openDB('rooms', { encoding: 'ordered-binary' });
    this.ofGateways = root.openDB('ofGateways', { encoding: 'ordered-binary' });
    this.projects = root.openDB('projects', { encoding: 'string' });
    this.facts = root.openDB('facts', { encoding: 'binary' });
    this.byTime = root.openDB('byTime', { encoding: 'ordered-binary' });
    this.handOuts = root.openDB('handOuts', { encoding: 'ordered-binary' });
    this.gateways = root.openDB('gateways', { encoding: 'json' });
    this.counts = root.openDB('counts', { encoding: 'ordered-binary' });
    this.progress = new FollowProgress(root.openDB('state', { encoding: 'string' }));
  }

  get(connectionId: string): FoldedConnection | undefined {
    return this.connections.get(connectionId);
  }

  isInRoom(connectionId: string, room: string): boolean {
    return this.rooms.get([connectionId, room]) === true;
  }

  listed(
    organizationId: string,
    list: ConnectionList,
    { before, limit }: { readonly before: string; readonly limit: number },
  ): readonly ListedConnection[] {
    const key = keyOfList(list);
    const range = { start: [organizationId, key, before], end: [organizationId, key, ''], reverse: true };
    const found: ListedConnection[] = [];
    // Where reversed, LMDB includes the start.
    for (const { key, value } of this.lists.getRange({ ...range, limit: limit + 1 })) {
      const place = key[2];
      if (place !== before && found.length < limit) found.push({ place, connectionId: value });
    }
    return found;
  }

  timeline({ connectionId, limit, after = '' }: TimelineQuery): readonly RecordedFact[] {
    const range = { start: [connectionId, after], end: [connectionId, end], limit: limit + 1 } as const;
    return [...this.facts.getRange(range as object)]
      .map(({ key, value }) => ({ place: key[1], fact: factFrom(value) }))
      .filter(({ place }) => place !== after)
      .slice(0, limit);
  }

  handOutsOf(projectId: string, messageId: string, most: number): readonly RecordedFact[] {
    const range = { start: [projectId, messageId], end: [projectId, messageId, end], limit: most } as const;
    return [...this.handOuts.getKeys(range as object)].flatMap((key) => {
      const [, , place, connectionId] = key;
      const value = this.facts.get([connectionId, place]);
      return value === undefined ? [] : [{ place, fact: factFrom(value) }];
    });
  }

  gateway(gateway: string): FoldedGateway | undefined {
    return this.gateways.get(gateway);
  }

  allGateways(): readonly FoldedGateway[] {
    return [...this.gateways.getRange()].map(({ value }) => value);
  }

  putGateway(gateway: FoldedGateway): void {
    this.gateways.putSync(gateway.gateway, gateway);
  }

  removeGateway(gateway: string): void {
    this.gateways.removeSync(gateway);
  }

  /** Undefined while nothing is forgotten. */
  get forgottenUpTo(): number | undefined {
    return this.counts.get('forgotten');
  }

  get bytes(): number {
    return this.counts.get('bytes') ?? 0;
  }

  get nextOffset(): number | undefined {
    return this.counts.get('next');
  }

  set nextOffset(next: number | undefined) {
    if (next !== undefined) this.counts.putSync('next', next);
  }

  /** Facts of connections that are not known are passed over. A connection is written once, as it is after all of them. */
  add(facts: readonly RecordedFact[], gateway: string): void {
    const changed = new Map<string, { known: FoldedConnection | undefined; connection: FoldedConnection }>();
    let added = 0;
    for (const placed of facts) {
      const id = placed.fact.connection;
      const change = changed.get(id);
      const known = change === undefined ? this.connections.get(id) : change.known;
      const connection = foldFact(change?.connection ?? known, placed, gateway);
      if (connection === undefined) continue;
      changed.set(id, { known, connection });
      added += this.addFact(placed, connection);
    }
    for (const { known, connection } of changed.values()) this.put(connection, known);
    if (added > 0) this.counts.putSync('bytes', this.bytes + added);
  }

  /** Returns what it takes. */
  private addFact(placed: RecordedFact, connection: FoldedConnection): number {
    const { place, fact } = placed;
    for (const room of roomsOf(placed)) {
      this.rooms.putSync([fact.connection, room], true);
      this.list(connection, { of: 'room', room });
    }
    const encoded = encoder.encode(fact);
    this.facts.putSync([fact.connection, place], Buffer.from(encoded));
    this.byTime.putSync([fact.at, fact.connection, place], true);
    if (fact.kind === 'handedOut')
      this.handOuts.putSync([connection.projectId, fact.messageId, place, fact.connection], true);
    return encoded.length + keysBytes;
  }

  /** Up to `limit` connections of a gateway, if there is a limit. */
  ofGateway(
    gateway: string,
    state: Exclude<ConnectionState, 'closed'>,
    limit?: number,
  ): readonly FoldedConnection[] {
    const range = {
      start: [gateway, state],
      end: [gateway, state, end],
      ...(limit !== undefined && { limit }),
    };
    return [...this.ofGateways.getKeys(range as object)].flatMap(
      ([, , id]) => this.connections.get(id) ?? [],
    );
  }

  /** Null opens it again. */
  end(connection: FoldedConnection, closed: ConnectionEnd | null): void {
    this.put({ ...connection, closed }, connection);
  }

  /** The oldest facts before a time. */
  oldest(before: number, limit: number): readonly TimeKey[] {
    return [...this.byTime.getKeys({ end: [before], limit })];
  }

  /** With the connection, where it is its last one. */
  forget(key: TimeKey): void {
    const [at, connectionId, place] = key;
    this.removeFact(key);
    this.counts.putSync('forgotten', Math.max(at, this.forgottenUpTo ?? 0));
    const connection = this.connections.get(connectionId);
    if (connection !== undefined && connection.last <= place) this.removeConnection(connection);
  }

  connectionsOf(projectId: string, limit: number): readonly string[] {
    const organizationId = this.projects.get(projectId);
    if (organizationId === undefined) return [];
    const key = keyOfList({ of: 'project', projectId });
    const range = { start: [organizationId, key], end: [organizationId, key, end], limit };
    return [...this.lists.getRange(range as object)].map(({ value }) => value);
  }

  removeProject(projectId: string): void {
    this.projects.removeSync(projectId);
  }

  /** With all its facts. */
  remove(connectionId: string): void {
    for (const { key, value } of [
      ...this.facts.getRange({ start: [connectionId], end: [connectionId, end] }),
    ])
      this.removeFact([factFrom(value).at, connectionId, key[1]]);
    const connection = this.connections.get(connectionId);
    if (connection !== undefined) this.removeConnection(connection);
  }

  private put(connection: FoldedConnection, known: FoldedConnection | undefined): void {
    const { connectionId, gateway, projectId, actorTokenId } = connection;
    this.connections.putSync(connectionId, connection);
    const [state, before] = [stateOf(connection), known && stateOf(known)];
    if (state === before) return;
    if (before !== undefined) this.ofGateways.removeSync([gateway, before, connectionId]);
    if (state !== 'closed') this.ofGateways.putSync([gateway, state, connectionId], true);
    if (state === 'open') this.list(connection, { of: 'open' });
    else if (before !== undefined) this.unlist(connection, { of: 'open' });
    if (known !== undefined) return;
    if (this.projects.get(projectId) === undefined)
      this.projects.putSync(projectId, connection.organizationId);
    for (const list of [{ of: 'all' }, { of: 'actor', actorTokenId }, { of: 'project', projectId }] as const)
      this.list(connection, list);
  }

  private list(connection: FoldedConnection, list: ConnectionList): void {
    this.lists.putSync(listKeyOf(connection, list), connection.connectionId);
  }

  private unlist(connection: FoldedConnection, list: ConnectionList): void {
    this.lists.removeSync(listKeyOf(connection, list));
  }

  private removeConnection(connection: FoldedConnection): void {
    const { connectionId, gateway, projectId, actorTokenId } = connection;
    for (const key of [...this.rooms.getKeys({ start: [connectionId], end: [connectionId, end] })]) {
      const [, room] = key;
      this.unlist(connection, { of: 'room', room });
      this.rooms.removeSync([connectionId, room]);
    }
    const lists = [
      { of: 'all' },
      { of: 'open' },
      { of: 'actor', actorTokenId },
      { of: 'project', projectId },
    ];
    for (const list of lists as readonly ConnectionList[]) this.unlist(connection, list);
    this.ofGateways.removeSync([gateway, stateOf(connection), connectionId]);
    this.connections.removeSync(connectionId);
  }

  private removeFact([at, connectionId, place]: TimeKey): void {
    this.byTime.removeSync([at, connectionId, place]);
    const value = this.facts.get([connectionId, place]);
    if (value === undefined) return;
    this.facts.removeSync([connectionId, place]);
    this.counts.putSync('bytes', Math.max(0, this.bytes - value.length - keysBytes));
    const fact = factFrom(value);
    const projectId = this.connections.get(connectionId)?.projectId;
    if (fact.kind === 'handedOut' && projectId !== undefined)
      this.handOuts.removeSync([projectId, fact.messageId, place, connectionId]);
  }
}

const listKeyOf = (connection: FoldedConnection, list: ConnectionList): ListKey => [
  connection.organizationId,
  keyOfList(list),
  placeOfConnection(connection),
];

const factFrom = (value: Buffer): ConnectionFact => decode(value) as ConnectionFact;
