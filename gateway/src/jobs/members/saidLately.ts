interface Said {
  readonly seq: number;
  /** Monotonic milliseconds. */
  readonly at: number;
}

/** The jobs that a member has acknowledged and the owner of the group may not have stored as done: the next owner is told once more. */
export class SaidLately {
  private said: Said[] = [];
  /** What is before it is forgotten. */
  private begin = 0;

  get count(): number {
    return this.said.length - this.begin;
  }

  add(said: Said): void {
    this.said.push(said);
  }

  /** What was said before this time is stored. */
  forgetBefore(time: number): void {
    while ((this.said[this.begin]?.at ?? time) < time) this.begin++;
    if (this.begin > 1_000 || this.count === 0) this.said.splice(0, this.begin);
    else return;
    this.begin = 0;
  }

  /** All of it, which is said once more now. */
  repeat(now: number): readonly Said[] {
    this.said = this.behind(0).map((said) => ({ ...said, at: now }));
    this.begin = 0;
    return this.said;
  }

  /** Without the first so many. */
  behind(count: number): readonly Said[] {
    return this.said.slice(this.begin + count);
  }

  clear(): void {
    this.said = [];
    this.begin = 0;
  }
}
