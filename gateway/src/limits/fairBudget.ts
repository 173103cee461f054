import { LargestFirst, type Sized } from './largestFirst.js';

/** What one member of a project holds of a budget: a connection, a worker group, the last values of the project. */
export class Account<Member> implements Sized {
  readonly projectId: string;
  readonly member: Member;
  /** Set by `resize` alone. */
  bytes = 0;
  /** Set by the heap. */
  place = -1;
  private readonly budget: AccountKeeper<Member>;
  private isOpen = true;

  constructor(projectId: string, member: Member, budget: AccountKeeper<Member>) {
    this.projectId = projectId;
    this.member = member;
    this.budget = budget;
  }

  /** Does nothing once it is closed, or where nothing changes. */
  resize(bytes: number): void {
    if (!this.isOpen || bytes === this.bytes) return;
    const change = bytes - this.bytes;
    this.bytes = bytes;
    this.budget.resized(this, change);
  }

  /** Gives everything back. */
  close(): void {
    this.resize(0);
    if (!this.isOpen) return;
    this.isOpen = false;
    this.budget.closed(this);
  }
}

interface AccountKeeper<Member> {
  resized(account: Account<Member>, change: number): void;
  closed(account: Account<Member>): void;
}

/** What the members of one project hold together. */
class Holder<Member> implements Sized {
  bytes = 0;
  place = -1;
  readonly members = new LargestFirst<Account<Member>>();
}

/**
 * [WS-MEM-1] One kind of memory of this process: what each project holds of it, and who gives way where it is used up. It only
 * counts: whoever owns the memory refuses or evicts.
 */
export class FairBudget<Member> {
  /** Of the process. */
  readonly bytes: number;
  private readonly holders = new Map<string, Holder<Member>>();
  private readonly bySize = new LargestFirst<Holder<Member>>();
  private total = 0;
  private readonly keeper: AccountKeeper<Member>;

  constructor(bytes: number) {
    this.bytes = bytes;
    this.keeper = {
      resized: (account, change) => this.resized(account, change),
      closed: (account) => this.closed(account),
    };
  }

  get used(): number {
    return this.total;
  }

  get isExceeded(): boolean {
    return this.total > this.bytes;
  }

  /** The largest member of the project that holds the most. */
  get largest(): Account<Member> | undefined {
    return this.bySize.largest?.members.largest;
  }

  heldBy(projectId: string): number {
    return this.holders.get(projectId)?.bytes ?? 0;
  }

  /**
   * Whether a project may hold so much more: at most half of the budget; and beyond the budget only while another project holds
   * more than it would, which then has to give way.
   */
  admits(projectId: string, more: number): boolean {
    const would = this.heldBy(projectId) + more;
    if (would > this.bytes / 2) return false;
    return this.total + more <= this.bytes || would < (this.bySize.largest?.bytes ?? 0);
  }

  open(projectId: string, member: Member): Account<Member> {
    const account = new Account(projectId, member, this.keeper);
    this.holderOf(projectId).members.add(account);
    return account;
  }

  private holderOf(projectId: string): Holder<Member> {
    const known = this.holders.get(projectId);
    if (known !== undefined) return known;
    const holder = new Holder<Member>();
    this.holders.set(projectId, holder);
    this.bySize.add(holder);
    return holder;
  }

  private resized(account: Account<Member>, change: number): void {
    const holder = this.holderOf(account.projectId);
    this.total += change;
    holder.bytes += change;
    holder.members.resized(account);
    this.bySize.resized(holder);
  }

  private closed(account: Account<Member>): void {
    const holder = this.holderOf(account.projectId);
    holder.members.remove(account);
    if (holder.members.size > 0) return;
    this.holders.delete(account.projectId);
    this.bySize.remove(holder);
  }
}
