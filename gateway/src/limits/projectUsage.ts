import type { CurrentPlan } from './plans.js';

/** What a project has published in a month: here, and by what was read last on all other gateways. */
export class ProjectUsage {
  readonly projectId: string;
  readonly month: string;
  /** Under which it is written. */
  readonly writer: string;
  /** Accepted here. */
  accepted = 0;
  /** Of these, what is known to be kept. */
  noted = 0;
  /** Under way to the bus, which may still refuse them. */
  underWay = 0;
  /** What this process has not accepted itself. */
  elsewhere = 0;
  /** Whether what was published before has been read, or reading it was tried. */
  isKnown = false;
  /** Whether somebody has published since the last look. */
  isActive = false;
  private readonly current: CurrentPlan | undefined;

  constructor(
    { projectId, month, writer }: Pick<ProjectUsage, 'projectId' | 'month' | 'writer'>,
    current: CurrentPlan | undefined,
  ) {
    this.projectId = projectId;
    this.month = month;
    this.writer = writer;
    this.current = current;
  }

  /** Null for none. */
  get quota(): number | null {
    return this.current?.plan.monthlyMessages ?? null;
  }

  /** Whether one more is within the quota, as far as is known. */
  get hasRoom(): boolean {
    const { quota } = this;
    return quota === null || this.elsewhere + this.accepted + this.underWay < quota;
  }

  get mustBeRead(): boolean {
    return !this.isKnown && this.quota !== null;
  }

  /** A publish goes to the bus. */
  begin(): void {
    this.isActive = true;
    this.underWay++;
  }

  /** The bus has answered. What it refused does not count. */
  end(isAccepted: boolean): void {
    this.underWay--;
    if (isAccepted) this.accepted++;
  }

  /** Whether everything that happened is kept, and nothing more will. */
  get isSettled(): boolean {
    return this.underWay === 0 && this.noted === this.accepted;
  }
}
