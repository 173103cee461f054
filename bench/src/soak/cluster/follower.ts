import type { Client, Message } from '@roomwire/sdk';
import type { Findings } from '../findings.js';
import type { Publication, Publications } from './publications.js';

/** The data of a message. */
export interface Numbered {
  readonly number: number;
}

interface FollowerDeps {
  readonly findings: Findings;
  readonly publications: Publications;
  readonly onDelivery: (publication: Publication) => void;
}

/** Follows a topic with history through all that happens, and is in its room. */
export class Follower {
  readonly actorTokenId: string;
  /** The numbers of all messages, as they came. */
  readonly got: number[] = [];
  private readonly deps: FollowerDeps;
  private position = '';

  private constructor(actorTokenId: string, deps: FollowerDeps) {
    this.actorTokenId = actorTokenId;
    this.deps = deps;
  }

  static async follow(client: Client, room: string, topic: string, deps: FollowerDeps): Promise<Follower> {
    const follower = new Follower((await client.ready()).actorTokenId, deps);
    await client.subscribe(topic, (message) => follower.take(message), {
      resume: true,
      onGap: ({ reason }) => deps.findings.violated(`a follower of ${topic} has a gap: ${reason}`),
    });
    await client.enter(room, { follows: topic });
    return follower;
  }

  private take({ topic, data, meta, isReplay }: Message): void {
    const { findings, publications, onDelivery } = this.deps;
    const { number } = data as Numbered;
    const publication = publications.find(number);
    if (publication?.topic !== topic)
      return findings.violated(`${topic} had a message that was never sent: ${number}`);
    const position = meta?.position ?? '';
    if (position <= this.position)
      findings.violated(`message ${number} of ${topic} came behind a later one, or twice`);
    this.position = position;
    this.got.push(number);
    findings.count(isReplay ? 'deliveries by replay' : 'deliveries');
    onDelivery(publication);
  }
}
