/** At least so many ids of all groups together are remembered, at most twice as many: some 10 MB. */
const remembered = 50_000;

/** The ids of messages that one group has taken of late. */
export class GroupsTaken {
  private recent = new Set<string>();
  private former = new Set<string>();
  private readonly added: () => void;

  /** `added` is called after each id. */
  constructor(added: () => void) {
    this.added = added;
  }

  /** Remembers the id and returns whether it was here before. */
  isRepeated(id: string): boolean {
    if (this.recent.has(id) || this.former.has(id)) return true;
    this.recent.add(id);
    this.added();
    return false;
  }

  age(): void {
    this.former = this.recent;
    this.recent = new Set();
  }
}

/**
 * By which groups know second copies of messages. Each has a memory of its own, which begins with what is stored of it and ends with it here: what a
 * process has taken as an owner whose term is over, the next one may not have.
 */
export class TakenMessages {
  private readonly groups = new Set<GroupsTaken>();
  private count = 0;

  open(): GroupsTaken {
    const opened = new GroupsTaken(() => this.added());
    this.groups.add(opened);
    return opened;
  }

  close(group: GroupsTaken): void {
    this.groups.delete(group);
  }

  private added(): void {
    if (++this.count < remembered) return;
    this.count = 0;
    for (const group of this.groups) group.age();
  }
}
