import { setTimeout as pause } from 'node:timers/promises';
import type { LeaseStatement } from '@roomwire/shared/wire/bus/gatewayNews';
import { Allowance, type AllowanceDeps } from './allowance.js';
import type { LeaseOutcome, LeaseTerms } from './leaseTerms.js';

export interface LeaseDeps extends AllowanceDeps {
  readonly gatewayId: string;
  /** Resolves when the other gateways are known. */
  readonly ready: Promise<void>;
  /** Counts the claims of this gateway. */
  readonly nextNumber: () => number;
  /** Has `statement` sent soon. */
  readonly say: (lease: Lease) => void;
  /** Has it sent when the bus may be back. */
  readonly sayLater: (lease: Lease) => void;
}

type Answer = NonNullable<LeaseStatement['answers']>[number];

/** A claim of this gateway that is not decided. */
interface Claim {
  readonly number: number;
  readonly upTo: number;
  /** How many wait for it. */
  readonly waiters: number;
  readonly begunAt: number;
  /** Its place among the statements of all gateways; undefined until it has come back. */
  order: number | undefined;
  isSaid: boolean;
  asks: 'no' | 'to be said' | 'said';
  /** The gateways that have answered, or have started since. */
  readonly answered: Set<string>;
  /** Whether the time for answers is over. */
  isLate: boolean;
  timer: NodeJS.Timeout | undefined;
  readonly settled: () => void;
}

/** A lease that is not used for so many heartbeats is given back. */
const beatsUntilIdle = 20;

/**
 * How much of one limited thing this gateway may use without asking the others: all gateways together hold no more than there
 * is. To hold more, a gateway claims it on the bus, where the earlier of two claims goes first. Before one is refused, the others
 * are asked to give back what they hold and do not use.
 */
export class Lease {
  readonly key: string;
  private readonly terms: LeaseTerms;
  private readonly deps: LeaseDeps;
  private readonly allowance: Allowance;
  /** The first has waited longest. */
  private readonly waiting: ((outcome: LeaseOutcome) => void)[] = [];
  private claim: Claim | undefined;
  /** To be answered when the own claim, which is earlier, is decided. */
  private owed: Answer[] = [];
  private answers: Answer[] = [];
  private isPursuing = false;
  private idleBeats = 0;

  constructor(key: string, terms: LeaseTerms, deps: LeaseDeps) {
    this.key = key;
    this.terms = terms;
    this.deps = deps;
    this.allowance = new Allowance(terms, deps);
  }

  /** Uses one more where the limit allows it. Synchronous unless the others have to be asked; never rejects. */
  take(): LeaseOutcome | Promise<LeaseOutcome> {
    const { most } = this.terms;
    this.idleBeats = 0;
    if (most === null) return this.use();
    if (this.waiting.length === 0) {
      if (this.terms.used + this.terms.usedUp >= most) return 'full';
      if (this.terms.used < this.allowance.allowed(most)) return this.useInAdvance();
      if (!this.terms.isFreedAgain && this.allowance.restMs > 0) return 'full';
    }
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.pursue();
    });
  }

  /** What another gateway holds; undefined where that is not known. */
  heldBy(gatewayId: string): number | undefined {
    return this.allowance.holdings.heldBy(gatewayId);
  }

  /** Another gateway has said this. `order` is its place among the statements of all. */
  heard(gatewayId: string, statement: LeaseStatement, order: number): void {
    const claim = this.allowance.holdings.heard(gatewayId, statement, order);
    if (statement.asks && claim) this.asked({ gatewayId, number: claim.number }, claim.order);
    if (statement.answers?.some((one) => this.isToOwnClaim(one))) {
      this.allowance.holdings.answered(gatewayId);
      this.claim?.answered.add(gatewayId);
    }
    this.decideIfKnown();
  }

  /** An own statement has come back. */
  returned({ claim: said }: LeaseStatement, order: number): void {
    const { claim } = this;
    if (said === undefined) return;
    // The others believe that it is not decided.
    if (claim?.number !== said.number) return this.deps.say(this);
    if (claim.order !== undefined) return;
    claim.order = order;
    this.waitForAnswers(claim);
  }

  started(gatewayId: string): void {
    this.allowance.holdings.started(gatewayId);
    this.claim?.answered.add(gatewayId);
    this.decideIfKnown();
  }

  gone(gatewayId: string): void {
    this.allowance.lost(gatewayId);
    this.claim?.answered.delete(gatewayId);
    this.decideIfKnown();
  }

  /** The bus has not carried its statement. */
  failed(): void {
    const { claim } = this;
    if (claim === undefined) return;
    clearTimeout(claim.timer);
    this.claim = undefined;
    this.answers.push(...this.owed.splice(0));
    for (const settle of this.waiting.splice(0)) settle('unavailable');
    claim.settled();
  }

  /** Must be called with each heartbeat. Whether the lease may be forgotten. */
  beat(): boolean {
    if (this.isPursuing || ++this.idleBeats < beatsUntilIdle) return false;
    if (this.allowance.held > this.terms.used) {
      this.allowance.giveBack();
      this.deps.say(this);
    }
    return this.terms.used === 0;
  }

  /** What the others have to know. */
  statement(): LeaseStatement {
    const { key, claim, answers } = this;
    this.answers = [];
    const held = Math.max(this.allowance.held, this.terms.used);
    const said = { key, held, ...(answers.length > 0 && { answers }) };
    if (claim === undefined) return said;
    const { number, upTo, isSaid } = claim;
    const asks = claim.asks === 'to be said';
    claim.isSaid = true;
    if (asks) claim.asks = 'said';
    return { ...said, claim: { number, upTo, ...(isSaid && { isRepeated: true }) }, ...(asks && { asks }) };
  }

  private use(): 'taken' {
    this.terms.use();
    return 'taken';
  }

  private useInAdvance(): 'taken' {
    this.terms.use();
    if (this.allowance.isLow) this.pursue();
    return 'taken';
  }

  /** Makes claims until nobody waits. */
  private pursue(): void {
    if (this.isPursuing) return;
    this.isPursuing = true;
    void this.rounds();
  }

  private async rounds(): Promise<void> {
    await this.deps.ready;
    do {
      const { restMs } = this.allowance;
      if (restMs > 0) await pause(restMs, undefined, { ref: false });
      await this.round();
    } while (this.waiting.length > 0);
    this.isPursuing = false;
  }

  private async round(): Promise<void> {
    const { most } = this.terms;
    if (most !== null) return new Promise((settled) => this.begin(most, settled));
    for (const settle of this.waiting.splice(0)) settle(this.use());
  }

  private begin(most: number, settled: () => void): void {
    if (this.allowance.isInDoubt) this.allowance.beginAnew();
    const waiters = this.waiting.length;
    const need = this.terms.used + waiters;
    const room = this.allowance.room(Number.POSITIVE_INFINITY, false);
    const claim: Claim = {
      number: this.deps.nextNumber(),
      upTo: need + this.allowance.portionOf((room ?? most) - need),
      waiters,
      begunAt: this.deps.clock.monotonic(),
      order: undefined,
      isSaid: false,
      asks: room === undefined || room < need ? 'to be said' : 'no',
      answered: new Set(),
      isLate: false,
      timer: undefined,
      settled,
    };
    this.claim = claim;
    // A gateway that does not answer is assumed to use what it has stored.
    if (room === undefined) void this.terms.read();
    if (this.allowance.leasing().length === 0) return this.waitForAnswers(claim);
    this.deps.say(this);
    this.setTimer(claim, this.deps.waits.returnMs, () => this.giveUp());
  }

  private waitForAnswers(claim: Claim): void {
    this.setTimer(claim, this.deps.waits.answerMs, () => {
      claim.isLate = true;
      this.decideIfKnown();
    });
    this.decideIfKnown();
  }

  private isToOwnClaim({ gatewayId, number }: Answer): boolean {
    return gatewayId === this.deps.gatewayId && number === this.claim?.number;
  }

  private asked(answer: Answer, order: number): void {
    const { claim } = this;
    if (claim?.order !== undefined && claim.order < order) return void this.owed.push(answer);
    this.allowance.giveBack();
    this.answers.push(answer);
    this.deps.say(this);
  }

  private giveUp(): void {
    this.failed();
    this.deps.sayLater(this);
  }

  private decideIfKnown(): void {
    const { claim } = this;
    if (claim === undefined) return;
    if (this.hasStalled(claim)) return this.giveUp();
    const peers = this.allowance.leasing();
    if (peers.length > 0 && claim.order === undefined) return;
    if (this.allowance.isStale && !claim.isLate) return this.allowance.readAgain(() => this.decideIfKnown());
    const isAll = claim.isLate || peers.every((peer) => claim.answered.has(peer));
    const room = this.allowance.room(claim.order ?? Number.POSITIVE_INFINITY, isAll);
    if (room !== undefined && (isAll || room >= this.terms.used + claim.waiters)) this.decide(claim, room);
    else if (claim.asks === 'no') {
      claim.asks = 'to be said';
      this.deps.say(this);
    }
  }

  private decide(claim: Claim, room: number): void {
    clearTimeout(claim.timer);
    this.claim = undefined;
    const need = this.terms.used + claim.waiters;
    this.allowance.grant(need, room, claim.upTo);
    this.serve(claim.waiters);
    if (this.owed.length > 0) {
      this.allowance.giveBack();
      this.answers.push(...this.owed.splice(0));
    }
    if (claim.isSaid) this.deps.say(this);
    claim.settled();
  }

  /** Refuses only those for whom the claim was made: the others have not been asked for whoever came later. */
  private serve(waiters: number): void {
    let refused = waiters;
    for (; this.waiting.length > 0 && this.terms.used < this.allowance.held; refused--)
      this.waiting.shift()?.(this.use());
    if (refused <= 0) return;
    this.allowance.rest();
    for (const settle of this.waiting.splice(0, refused)) settle('full');
  }

  /** Others may have taken this gateway for dead, and its claim for void. */
  private hasStalled({ begunAt }: Claim): boolean {
    const { returnMs, answerMs } = this.deps.waits;
    return this.deps.clock.monotonic() - begunAt > returnMs + 2 * answerMs;
  }

  private setTimer(claim: Claim, ms: number, onTime: () => void): void {
    clearTimeout(claim.timer);
    claim.timer = setTimeout(onTime, ms).unref();
  }
}
