import type { Findings } from './findings.js';
import type { Sent } from './ledger.js';

/** A member of a worker group, for as long as it is one. */
export interface Membership {
  readonly actor: number;
  /** Its subscription or its connection has ended: what it had may be given to others. */
  isOver: boolean;
}

/** Who was given which message of worker groups. */
export class Work {
  readonly #findings: Findings;
  readonly #holders = new Map<number, Membership>();

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  given(sent: Sent, member: Membership): void {
    const former = this.#holders.get(sent.id);
    if (former?.isOver === false)
      this.#violated(sent, 'went to two members of a worker group, or twice to one');
    if (former !== undefined) this.#findings.count('work given anew');
    if (sent.actor === member.actor) this.#violated(sent, 'went to a member that has published it');
    this.#holders.set(sent.id, member);
  }

  wasGiven({ id }: Sent): boolean {
    return this.#holders.has(id);
  }

  /** It is so long ago that somebody must have had it, if it was published at all. */
  forget(sent: Sent): void {
    const wasGiven = this.#holders.delete(sent.id);
    if (sent.outcome === 'accepted' && !wasGiven)
      this.#violated(sent, 'went to no member of its worker group');
  }

  #violated({ id, topic }: Sent, what: string): void {
    this.#findings.violated(`message ${id} of ${topic.address} ${what}`);
  }
}
