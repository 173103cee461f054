import type { Clock } from '@roomwire/shared/ports/clock';
import type { RunningGateway } from '@roomwire/shared/ports/connectionRecord';

interface Seen {
  readonly number: number;
  /** On the monotonic clock, when a batch with this number was first seen. */
  readonly at: number;
}

/** Tells which gateways have stopped writing by how long this process has seen nothing new of them: their clocks may be wrong, or its own may be. */
export class SilentGateways {
  private readonly clock: Pick<Clock, 'monotonic'>;
  private readonly silenceMs: number;
  private seen = new Map<string, Seen>();
  private lookedAt = 0;

  constructor(clock: Pick<Clock, 'monotonic'>, silenceMs: number) {
    this.clock = clock;
    this.silenceMs = silenceMs;
  }

  /** Those that had written nothing for so long at a time of the monotonic clock. */
  among(running: readonly RunningGateway[], at: number): readonly RunningGateway[] {
    // Nobody has looked meanwhile: they may have had no way to write.
    if (at - this.lookedAt > this.silenceMs) this.forget();
    const now = this.clock.monotonic();
    const seen = running.map(({ gateway, number }): readonly [string, Seen] => {
      const before = this.seen.get(gateway);
      return [gateway, before?.number === number ? before : { number, at: now }];
    });
    [this.seen, this.lookedAt] = [new Map(seen), now];
    return running.filter(({ gateway }) => at - (this.seen.get(gateway)?.at ?? at) > this.silenceMs);
  }

  /** The silence of each counts from the next look. */
  forget(): void {
    this.seen.clear();
  }
}
