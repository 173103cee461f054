/** Of calls that came to nothing since the last 2xx. Times are of the monotonic clock. */
interface Failing {
  /** When the first of them was heard of. */
  readonly since: number;
  own: number;
  /** As other processes have said, by their names. */
  readonly others: Map<string, number>;
  isUntold: boolean;
  /** When it was last found not to answer. */
  foundAt: number;
}

export interface FailingLimits {
  /** An endpoint with so many calls, and no 2xx for so long, answers nobody. */
  readonly calls: number;
  readonly ms: number;
  /** Between two findings about one endpoint. */
  readonly againMs: number;
  /** Endpoints that are remembered. */
  readonly most: number;
}

/** The endpoints without a 2xx, as far as this process and the others have told one another. */
export class FailingEndpoints {
  private readonly limits: FailingLimits;
  private readonly forgotten: () => void;
  /** The one that has failed for longest first. */
  private readonly endpoints = new Map<string, Failing>();

  constructor(limits: FailingLimits, forgotten: () => void) {
    this.limits = limits;
    this.forgotten = forgotten;
  }

  /** A call of this process. */
  failed(endpoint: string, now: number): void {
    const failing = this.of(endpoint, now);
    failing.own += 1;
    failing.isUntold = true;
  }

  /** What another process has counted. */
  heard(endpoint: string, process: string, calls: number, now: number): void {
    this.of(endpoint, now).others.set(process, calls);
  }

  /** It has answered somebody. Returns whether it was thought not to. */
  accepted(endpoint: string): boolean {
    return this.endpoints.delete(endpoint);
  }

  /** How many calls it has not accepted, if they are enough to find that it does not answer; at most once in `againMs`. */
  takeFinding(endpoint: string, now: number): number | undefined {
    const failing = this.endpoints.get(endpoint);
    const { ms, againMs, calls: fewest } = this.limits;
    if (failing === undefined || now - failing.since < ms || now - failing.foundAt < againMs)
      return undefined;
    let calls = failing.own;
    for (const counted of failing.others.values()) calls += counted;
    if (calls < fewest) return undefined;
    failing.foundAt = now;
    return calls;
  }

  /** Own counts that have changed since they were taken last. */
  takeUntold(): [endpoint: string, calls: number][] {
    const untold: [string, number][] = [];
    for (const [endpoint, failing] of this.endpoints) {
      if (!failing.isUntold) continue;
      failing.isUntold = false;
      untold.push([endpoint, failing.own]);
    }
    return untold;
  }

  private of(endpoint: string, now: number): Failing {
    const known = this.endpoints.get(endpoint);
    if (known !== undefined) return known;
    const foundAt = Number.NEGATIVE_INFINITY;
    const failing: Failing = { since: now, own: 0, others: new Map(), isUntold: false, foundAt };
    this.endpoints.set(endpoint, failing);
    const [oldest] = this.endpoints.keys();
    if (this.endpoints.size > this.limits.most && oldest !== undefined) {
      this.endpoints.delete(oldest);
      this.forgotten();
    }
    return failing;
  }
}
