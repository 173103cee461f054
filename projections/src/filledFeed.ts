import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { LogPosition } from '@roomwire/shared/ports/eventLog';
import { feedEvents, feedMark, feedUnconfirmed, putRedrivenCalls, sendSpan, type FeedDeps } from './feed.js';

/** The last position that the bus has confirmed. It outlives the read models, in which it is written as well. */
export interface FeedMark {
  position: LogPosition | undefined;
}

/**
 * The feed of read models. Those that lack the past are filled first: they admit readers, and are fed from, once they hold
 * what was in the log when this began. What was fed before they were lost is old news, by which a gateway would undo what
 * happened since.
 */
export const beginFeed = async (
  deps: FeedDeps,
  mark: FeedMark,
  head: LogPosition | undefined,
): Promise<FilledFeed> => {
  const isFilling = !(await deps.views.admitsReaders());
  if (!isFilling) mark.position = await feedMark(deps.views);
  // Of another process, or of a log that was restored: what is in the log counts as fed.
  else if (mark.position === undefined || head === undefined || mark.position > head) mark.position = head;
  return new FilledFeed(deps, mark, head, isFilling);
};

export class FilledFeed {
  private readonly deps: FeedDeps;
  private readonly mark: FeedMark;
  private readonly head: LogPosition | undefined;
  /** Whether the read models lack a part of the past, and nobody reads them. */
  isFilling: boolean;
  /** Calls that were redriven in the part of the past that is not fed again. */
  private readonly redriven: RecordedEvent[] = [];

  constructor(deps: FeedDeps, mark: FeedMark, head: LogPosition | undefined, isFilling: boolean) {
    this.deps = deps;
    this.mark = mark;
    this.head = head;
    this.isFilling = isFilling;
  }

  async resume(checkpoint: LogPosition | undefined): Promise<void> {
    if (this.isFilling) await this.filledTo(checkpoint);
    else if (checkpoint !== undefined) await this.feedTo(checkpoint);
  }

  /** Follows each batch that the read models hold. */
  async written(events: readonly RecordedEvent[], position: LogPosition): Promise<void> {
    if (this.isFilling) {
      const isFed = (event: RecordedEvent) => event.position <= (this.mark.position ?? '');
      this.redriven.push(...events.filter((event) => event.type === 'DeadLetterRedriven' && isFed(event)));
      await this.filledTo(position);
    } else {
      const fed = await feedEvents(this.deps.bus, events);
      await putRedrivenCalls(this.deps, events);
      await this.fedTo(position, fed);
    }
  }

  /**
   * Says that nothing is missing, if so: not while a batch is being written, by whomever, since its documents may say more than the feed. A
   * projector that has lost the lead, and does not know it yet, says nothing that is wrong.
   */
  async sayIfComplete(): Promise<void> {
    const { isFilling, mark } = this;
    const { position } = mark;
    if (isFilling || position === undefined) return;
    const { log, views, bus } = this.deps;
    const [head, checkpoint] = await Promise.all([log.head(), views.checkpoint()]);
    const isComplete = checkpoint === position && head !== undefined && head <= position;
    if (isComplete && mark.position === position) await sendSpan(bus, position, position, 0);
  }

  private async filledTo(position: LogPosition | undefined): Promise<void> {
    const { head } = this;
    if (head !== undefined && (position === undefined || position < head)) return;
    await this.deps.views.admitReaders(position);
    this.isFilling = false;
    await putRedrivenCalls(this.deps, this.redriven);
    if (position !== undefined) await this.feedTo(position);
  }

  private async feedTo(position: LogPosition): Promise<void> {
    await this.fedTo(position, await feedUnconfirmed(this.deps, this.mark.position, position));
  }

  private async fedTo(position: LogPosition, events: number): Promise<void> {
    await sendSpan(this.deps.bus, this.mark.position, position, events);
    this.mark.position = position;
  }
}
