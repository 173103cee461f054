interface Line {
  readonly level?: string;
  readonly message?: string;
}

const harmless: ReadonlySet<string> = new Set(['info', 'debug']);

/** What a service writes to standard error: JSON lines, of which none may be a warning or an error. */
export class ServiceLog {
  lines = 0;
  /** The first of each kind, and how often it came. */
  readonly complaints = new Map<string, { readonly first: string; count: number }>();
  #rest = '';

  add(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#take(line);
  }

  #take(line: string): void {
    this.lines += 1;
    const { level, message } = parsed(line);
    if (level !== undefined && harmless.has(level)) return;
    const kind = `${level ?? 'not JSON'}: ${message ?? line.slice(0, 80)}`;
    const known = this.complaints.get(kind);
    if (known) known.count += 1;
    else this.complaints.set(kind, { first: line, count: 1 });
  }
}

const parsed = (line: string): Line => {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return {}; // Whatever is no log line is a complaint of Node itself.
  }
};
