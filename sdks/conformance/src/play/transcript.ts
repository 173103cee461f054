const longest = 600;

/** What happened in a scenario, for whoever has to find out why it failed. */
export class Transcript {
  private readonly began = performance.now();
  private readonly lines: string[] = [];

  note(line: string): void {
    const at = String(Math.round(performance.now() - this.began)).padStart(6);
    this.lines.push(`${at} ${line.length > longest ? `${line.slice(0, longest)}…` : line}`);
  }

  toString(): string {
    return this.lines.join('\n');
  }
}
