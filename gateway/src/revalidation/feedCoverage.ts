import type { Clock } from '@roomwire/shared/ports/clock';
import type { LogPosition } from '@roomwire/shared/ports/eventLog';
import { withTimeout } from '@roomwire/shared/runtime/waiting';
import type { FeedSpan } from '@roomwire/shared/wire/bus/feedSpans';

/** A span that lacks events. */
interface OpenSpan extends FeedSpan {
  /** How many. */
  missing: number;
  /** Then they count as lost. */
  readonly until: number;
}

interface Waiter {
  readonly upTo: LogPosition;
  readonly wake: () => void;
}

/** How long events may come behind their span, from partitions that are slower. */
const patienceMs = 10_000;

/** A batch and more. Where as many come without a span, nobody says any. */
const mostPositions = 20_000;

const inside = ({ after, upTo }: FeedSpan, position: LogPosition): boolean =>
  position > after && position <= upTo;

/**
 * The stretch of the `domain-events` feed of which this process has got every event. A projector says how many there are in each
 * span; they are counted by their positions in the log, which a second copy shares, so that it does not matter by which partition, in which
 * order and how often they come. Whatever is lost on the way, events or spans, leaves a gap, behind which the stretch begins anew.
 */
export class FeedCoverage {
  private readonly clock: Pick<Clock, 'monotonic'>;
  private readonly viewsVersion: number;
  /** Those of the spans that are open or have just ended: a projector that takes over says them again. */
  private readonly positions = new Set<LogPosition>();
  /** In the order of their arrival. */
  private readonly open: OpenSpan[] = [];
  /** Behind it nothing is missing; undefined until a span was whole. */
  private after: LogPosition | undefined;
  private upTo: LogPosition = '';
  private readonly waiters = new Set<Waiter>();

  constructor(clock: Pick<Clock, 'monotonic'>, viewsVersion: number) {
    this.clock = clock;
    this.viewsVersion = viewsVersion;
  }

  /** To be called when an event has been acted on. */
  received(position: LogPosition): void {
    if (this.positions.size >= mostPositions) return this.restart();
    if (this.positions.has(position)) return;
    this.positions.add(position);
    if (this.open.length === 0) return;
    for (const span of this.open) if (inside(span, position)) span.missing -= 1;
    this.settle();
  }

  readonly said = (span: FeedSpan): void => {
    // Projectors of two versions feed the same events, each when its own read models have them: nobody can tell whose copy has come.
    if (span.viewsVersion !== this.viewsVersion) return this.restart();
    const isOld = this.after !== undefined && span.upTo < this.upTo;
    if (!isOld) this.open.push({ ...span, missing: this.missingOf(span), until: this.now + patienceMs });
    this.settle();
  };

  /** What was received until now proves nothing: an event was not understood, or the read models are not the same as before. */
  restart(): void {
    this.positions.clear();
    this.open.length = 0;
    this.after = undefined;
    this.upTo = '';
  }

  /**
   * Whether every event between the two positions has been acted on, and the projector is at work: it must say something after the call, or it
   * may be standing amid a batch that it has begun to write.
   */
  async proves(after: LogPosition, upTo: LogPosition, withinMs: number): Promise<boolean> {
    if (!this.goesBackTo(after) || upTo < after) return false;
    return (await this.next(upTo, withinMs)) && this.goesBackTo(after);
  }

  private get now(): number {
    return this.clock.monotonic();
  }

  private goesBackTo(position: LogPosition): boolean {
    return this.after !== undefined && this.after <= position;
  }

  private async next(upTo: LogPosition, withinMs: number): Promise<boolean> {
    let wake: () => void = () => undefined;
    const said = new Promise<boolean>((resolve) => (wake = () => resolve(true)));
    const waiter: Waiter = { upTo, wake };
    this.waiters.add(waiter);
    const isSaid = await withTimeout(withinMs, said, () => false, { unref: true });
    this.waiters.delete(waiter);
    return isSaid;
  }

  private missingOf(span: FeedSpan): number {
    let missing = span.events;
    if (missing > 0) for (const position of this.positions) if (inside(span, position)) missing -= 1;
    return missing;
  }

  private settle(): void {
    for (let [first] = this.open; first !== undefined; [first] = this.open) {
      const isWhole = first.missing <= 0;
      if (!isWhole && this.now < first.until) return;
      this.open.shift();
      if (isWhole) this.extend(first);
      else this.beginBehind(first);
    }
  }

  private extend({ after, upTo }: FeedSpan): void {
    // What lies between was never said.
    if (this.after === undefined || after > this.upTo) this.after = after;
    if (upTo > this.upTo) this.upTo = upTo;
    this.forgetUpTo(after);
    for (const waiter of this.waiters) if (waiter.upTo <= this.upTo) waiter.wake();
  }

  private beginBehind({ upTo }: FeedSpan): void {
    if (upTo > this.upTo) this.upTo = upTo;
    this.after = this.upTo;
  }

  /** A position that an open span has counted must stay, or its second copy would be counted as well. */
  private forgetUpTo(position: LogPosition): void {
    const oldest = this.open.reduce((least, { after }) => (after < least ? after : least), position);
    for (const each of this.positions) if (each <= oldest) this.positions.delete(each);
  }
}
