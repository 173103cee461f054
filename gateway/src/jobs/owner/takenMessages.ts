import { AgingIds } from '../../fanout/recentIds.js';

/** At least so many ids of all groups together are remembered, at most twice as many: some 10 MB. */
const remembered = 50_000;

/**
 * By which groups know second copies of messages. Each has a memory of its own, which begins with what is stored of it and ends with it here: what a
 * process has taken as an owner whose term is over, the next one may not have.
 */
export class TakenMessages {
  private readonly groups = new Set<AgingIds>();
  private count = 0;

  open(): AgingIds {
    const opened = new AgingIds(() => this.added());
    this.groups.add(opened);
    return opened;
  }

  close(group: AgingIds): void {
    this.groups.delete(group);
  }

  private added(): void {
    if (++this.count < remembered) return;
    this.count = 0;
    for (const group of this.groups) group.age();
  }
}
