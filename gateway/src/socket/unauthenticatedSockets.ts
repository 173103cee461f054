import { addressGroup } from '@roomwire/shared/runtime/clientAddress';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';

export interface UnauthenticatedSocketsDeps {
  readonly limits: Pick<LimitReports, 'reached'>;
  /** In all, and of one address. */
  readonly most: number;
  readonly mostByAddress: number;
}

/** The sockets of clients that have not authenticated: strangers may hold only so many. */
export class UnauthenticatedSockets {
  /** By address; an IPv6 network counts as one. */
  private readonly counts = new Map<string, number>();
  private readonly deps: UnauthenticatedSocketsDeps;
  private total = 0;

  constructor(deps: UnauthenticatedSocketsDeps) {
    this.deps = deps;
  }

  get size(): number {
    return this.total;
  }

  /** The HTTP status that refuses one more from an address, if any. [WS-CONN-11] */
  refusal(address: string): '429 Too Many Requests' | '503 Service Unavailable' | undefined {
    const { limits, most, mostByAddress } = this.deps;
    if (this.total >= most) {
      limits.reached('unauthenticatedSockets');
      return '503 Service Unavailable';
    }
    if ((this.counts.get(addressGroup(address)) ?? 0) < mostByAddress) return undefined;
    limits.reached('unauthenticatedSocketsPerAddress', { address });
    return '429 Too Many Requests';
  }

  /** Counts a socket until the returned function is called for the first time. */
  enter(address: string): () => void {
    const group = addressGroup(address);
    this.counts.set(group, (this.counts.get(group) ?? 0) + 1);
    this.total++;
    let isCounted = true;
    return () => {
      if (isCounted) this.leave(group);
      isCounted = false;
    };
  }

  private leave(group: string): void {
    const left = (this.counts.get(group) ?? 0) - 1;
    if (left > 0) this.counts.set(group, left);
    else this.counts.delete(group);
    this.total--;
  }
}
