import type { LeaseStatement } from '@roomwire/shared/wire/bus/gatewayNews';

/** A claim that has not been decided, as far as is known. */
export interface OthersClaim {
  readonly number: number;
  readonly upTo: number;
  /** Its place among the statements of all gateways, from 1. */
  readonly order: number;
}

interface Holding {
  readonly held: number;
  readonly claim: OthersClaim | undefined;
}

/** Before everything that this gateway has heard. */
const earliest = 0;

/**
 * What the other gateways hold of one limited thing, by their last statements. These are all that there is to know of a gateway
 * that has answered this one, or has said hello to it: one that believes to be alone says nothing.
 */
export class Holdings {
  private readonly byGateway = new Map<string, Holding>();
  private readonly known = new Set<string>();

  /** Returns the claim that the statement makes or repeats. */
  heard(gatewayId: string, { held, claim }: LeaseStatement, order: number): OthersClaim | undefined {
    const former = this.byGateway.get(gatewayId)?.claim;
    const current = former?.number === claim?.number ? former : begun(claim, order);
    this.byGateway.set(gatewayId, { held, claim: current });
    return current;
  }

  answered(gatewayId: string): void {
    this.known.add(gatewayId);
  }

  /** It holds nothing before its first statement. */
  started(gatewayId: string): void {
    this.byGateway.set(gatewayId, { held: 0, claim: undefined });
    this.known.add(gatewayId);
  }

  gone(gatewayId: string): void {
    this.byGateway.delete(gatewayId);
    this.known.delete(gatewayId);
  }

  clear(): void {
    this.byGateway.clear();
    this.known.clear();
  }

  /** What was granted to it; undefined where that is not known. */
  heldBy(gatewayId: string): number | undefined {
    return this.known.has(gatewayId) ? this.byGateway.get(gatewayId)?.held : undefined;
  }

  /** What a claim with this place has to leave to it: earlier claims count in full, and later ones give way. */
  leftTo(gatewayId: string, order: number): number | undefined {
    return this.known.has(gatewayId) ? this.believedOf(gatewayId, order) : undefined;
  }

  /** The same, where it is not known. */
  believedOf(gatewayId: string, order: number): number {
    const { held = 0, claim } = this.byGateway.get(gatewayId) ?? {};
    return claim === undefined || claim.order > order ? held : Math.max(held, claim.upTo);
  }
}

const begun = (claim: LeaseStatement['claim'], order: number): OthersClaim | undefined =>
  claim && { number: claim.number, upTo: claim.upTo, order: claim.isRepeated ? earliest : order };
