import { setTimeout as pause } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import type { ClaimOutcome, PublishClaim } from '../../ports/publishIds.js';
import { findAll } from '../mongo/collections.js';
import { durably } from '../mongo/connection.js';
import { duplicatesIn } from '../mongo/errors.js';
import { claimedAnew, decideClaim, type Decision, type KeptClaim } from './decideClaim.js';
import type { PublishIdSettings } from './publishIdOptions.js';

/** The id is the key of the claim. */
export interface ClaimDocument extends KeptClaim {
  readonly _id: string;
}

/** A claim that is decided, and what is kept since. */
export interface Decided {
  readonly outcome: ClaimOutcome;
  /** Undefined where it is not known. */
  readonly kept: KeptClaim | undefined;
}

type DecidedClaims = readonly (readonly [PublishClaim, Decided])[];

interface Change extends Decision {
  readonly claim: PublishClaim;
  readonly kept: KeptClaim;
}

/** Where others change the same claims meanwhile. */
const attempts = 10;
const betweenAttemptsMs = 5;

export const inAnyOrder = { ordered: false, ...durably };

/** Whoever changes it all the time, or has just made it and waits for a majority, is under way. */
const contested: Decided = { outcome: { kind: 'underway' }, kept: undefined };

/**
 * A new claim costs one insert, which of several processes only one succeeds with. What is there is changed only while it is as
 * it was read.
 */
export class MongoClaims {
  private readonly claims: Collection<ClaimDocument>;
  private readonly settings: PublishIdSettings;

  constructor(claims: Collection<ClaimDocument>, settings: PublishIdSettings) {
    this.claims = claims;
    this.settings = settings;
  }

  /** Of different keys. In the order of the claims. */
  async decide(claims: readonly PublishClaim[]): Promise<readonly Decided[]> {
    const decided = new Map<PublishClaim, Decided>();
    const open = () => claims.filter((claim) => !decided.has(claim));
    for (let attempt = 1; decided.size < claims.length && attempt <= attempts; attempt += 1) {
      if (attempt > 1) await pause(attempt * betweenAttemptsMs);
      for (const [claim, each] of await this.insert(open())) decided.set(claim, each);
      for (const [claim, each] of await this.change(open())) decided.set(claim, each);
    }
    return claims.map((claim) => decided.get(claim) ?? contested);
  }

  /** Decides those whose keys are not there. */
  private async insert(claims: readonly PublishClaim[]): Promise<DecidedClaims> {
    const made = claims.map((claim) => ({ claim, ...claimedAnew(claim, this.now, this.settings) }));
    const taken = new Set<number>();
    try {
      const documents = made.map(({ claim, keep }) => ({ _id: claim.key, ...keep }));
      await this.claims.insertMany(documents, inAnyOrder);
    } catch (error) {
      const duplicates = duplicatesIn(error);
      if (duplicates === undefined) throw error;
      for (const index of duplicates) taken.add(index);
    }
    return made
      .filter((_, index) => !taken.has(index))
      .map(({ claim, outcome, keep }) => [claim, { outcome, kept: keep }]);
  }

  /** Decides those whose keys are there, and which nobody else changes meanwhile. */
  private async change(claims: readonly PublishClaim[]): Promise<DecidedClaims> {
    if (claims.length === 0) return [];
    const found = new Map<string, KeptClaim>();
    const keys = claims.map(({ key }) => key);
    for await (const { _id, ...kept } of findAll(this.claims, keys)) found.set(_id, kept);
    const decisions = claims.flatMap((claim): Change[] => {
      const kept = found.get(claim.key);
      return kept === undefined
        ? []
        : [{ claim, kept, ...decideClaim(claim, kept, this.now, this.settings) }];
    });
    const isDone = await this.replaceAll(decisions);
    return decisions
      .filter(({ keep }) => isDone || keep === undefined)
      .map(({ claim, outcome, kept, keep }) => [claim, { outcome, kept: keep ?? kept }]);
  }

  /**
   * Whether all were as they had been read. Otherwise those that were are found at the next attempt, and known by their
   * claimants.
   */
  private async replaceAll(decisions: readonly Change[]): Promise<boolean> {
    const operations = decisions.flatMap(({ claim, kept: { claimant, claimedAt, state }, keep }) =>
      keep === undefined
        ? []
        : [
            {
              replaceOne: { filter: { _id: claim.key, claimant, claimedAt, state }, replacement: keep },
            },
          ],
    );
    if (operations.length === 0) return true;
    const { matchedCount } = await this.claims.bulkWrite(operations, inAnyOrder);
    return matchedCount === operations.length;
  }

  private get now(): number {
    return this.settings.clock.now();
  }
}
