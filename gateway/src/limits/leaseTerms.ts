/** `unavailable`: the gateways had to agree, and the bus did not carry what they said. */
export type LeaseOutcome = 'taken' | 'full' | 'unavailable';

/** A limited thing, and what is known of its use apart from leases. */
export interface LeaseTerms {
  /** For all gateways together; null for no limit. */
  readonly most: number | null;
  /** By this gateway. */
  readonly used: number;
  /** By gateways that are gone, and not given back. */
  readonly usedUp: number;
  /** Whether what is used is often free again. */
  readonly isFreedAgain: boolean;
  /** Uses one more. */
  use(): void;
  /** What a live gateway was last known to use, apart from its statements. */
  usedBy(gatewayId: string): number;
  /** Reads again what `usedUp` rests on. Never rejects. */
  read(): Promise<void>;
}

export interface LeaseCluster {
  /** The other live gateways; a new list whenever one comes or goes. */
  readonly others: readonly string[];
  takesLeases(gatewayId: string): boolean;
  /** Whether none of the others can have taken this gateway for dead lately. */
  readonly isHeard: boolean;
  /** How often they may have, up to then. */
  readonly absences: number;
}

export interface LeaseWaits {
  /** How long a claim may take to come back from the bus. */
  readonly returnMs: number;
  /** How long the others may take to answer. Who does not is believed to use all that it holds. */
  readonly answerMs: number;
  /** From a refusal until the others are asked again: who comes meanwhile waits, or is refused where nothing is freed again. */
  readonly restMs: number;
}
