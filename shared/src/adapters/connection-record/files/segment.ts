import { roomOf } from '../connectionFold.js';
import { termOf, TermTable, type Term, type TermKind } from './terms.js';
import type { WrittenBatch } from './writtenBatch.js';

/** What is known of a segment without reading it: batches in the order in which they were written. Times are Unix milliseconds. */
export interface Segment {
  readonly id: number;
  /** Later ones have the later facts of a connection. */
  readonly order: number;
  readonly batches: number;
  readonly facts: number;
  readonly bytes: number;
  /** Times of the oldest and the newest fact. */
  readonly from: number;
  readonly to: number;
  /** When the first and the last of its connections began. */
  readonly firstConnected: number;
  readonly lastConnected: number;
}

interface Holder {
  readonly organizationId: string;
  readonly projectId: string;
  readonly actorTokenId: string;
  readonly connectedAt: number;
}

/** A segment while batches are added. */
export class GrowingSegment {
  readonly id: number;
  private readonly order: number;
  private readonly names: Readonly<Record<Exclude<TermKind, 'room'>, Set<string>>> = {
    ...{ connection: new Set(), organization: new Set(), project: new Set(), actor: new Set() },
    ...{ job: new Set(), gateway: new Set() },
  };
  private readonly topics = new Set<string>();
  private batches = 0;
  private facts = 0;
  private characters = 0;
  private from = Number.MAX_SAFE_INTEGER;
  private to = 0;
  private firstConnected = Number.MAX_SAFE_INTEGER;
  private lastConnected = 0;

  constructor({ id, order }: Pick<Segment, 'id' | 'order'>) {
    this.id = id;
    this.order = order;
  }

  /** Whether it has the beginning of a connection, or how that was. */
  has(connectionId: string): boolean {
    return this.names.connection.has(connectionId);
  }

  get segment(): Segment {
    const { id, order, batches, facts, characters: bytes, from, to, firstConnected, lastConnected } = this;
    return { id, order, batches, facts, bytes, from, to, firstConnected, lastConnected };
  }

  /** `characters`: of the batch as text. */
  add({ gateway, known, facts }: WrittenBatch, characters: number): void {
    this.batches += 1;
    this.characters += characters;
    this.names.gateway.add(gateway);
    for (const connection of known) this.addConnection(connection.connectionId, connection);
    for (const fact of facts) {
      if (fact === null) continue;
      this.facts += 1;
      if (fact.at < this.from) this.from = fact.at;
      if (fact.at > this.to) this.to = fact.at;
      if (fact.kind === 'subscribed') this.topics.add(fact.topic);
      else if (fact.kind === 'handedOut') this.names.job.add(fact.messageId);
      else if (fact.kind === 'authenticated') this.addConnection(fact.connection, fact);
      else if (fact.kind === 'standing') {
        this.addConnection(fact.connection, fact);
        for (const { topic } of fact.subscriptions) this.topics.add(topic);
      }
    }
  }

  /** By which it is found. */
  terms(): TermTable {
    const terms: Term[] = [];
    for (const [kind, names] of Object.entries(this.names))
      for (const name of names) terms.push(termOf(kind as TermKind, name));
    for (const topic of this.topics) terms.push(termOf('room', roomOf(topic)));
    return TermTable.of(terms);
  }

  private addConnection(id: string, { organizationId, projectId, actorTokenId, connectedAt }: Holder): void {
    const { connection, organization, project, actor } = this.names;
    connection.add(id);
    organization.add(organizationId);
    project.add(projectId);
    actor.add(actorTokenId);
    if (connectedAt < this.firstConnected) this.firstConnected = connectedAt;
    if (connectedAt > this.lastConnected) this.lastConnected = connectedAt;
  }
}
