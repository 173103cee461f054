import { type Fields, isFields } from './match.js';

const whole = /^\{\{([\w.]+)\}\}$/;
const within = /\{\{([\w.]+)\}\}/g;

/** What a path of names leads to; undefined where it leads nowhere. */
export const at = (value: unknown, path: string): unknown =>
  path === ''
    ? value
    : path
        .split('.')
        .reduce<unknown>(
          (found, name) => (Array.isArray(found) || isFields(found) ? (found as Fields)[name] : undefined),
          value,
        );

/** What `{{name}}` stands for, by name: of the world, and what steps have saved. */
export class Variables {
  private readonly values: Record<string, unknown>;
  private readonly now: () => number;

  constructor(values: Fields, now: () => number = Date.now) {
    this.values = { ...values };
    this.now = now;
  }

  set(name: string, value: unknown): void {
    this.values[name] = value;
  }

  /**
   * A text that is a name and nothing else becomes the value itself, `{ $filled: n }` a text of so many letters, `{ $inSeconds: n }` that time in Unix
   * milliseconds. Throws for a name that is unknown.
   */
  fill(value: unknown): unknown {
    if (typeof value === 'string') {
      const [, name] = whole.exec(value) ?? [];
      if (name !== undefined) return this.get(name);
      return value.replaceAll(within, (_, inner: string) => String(this.get(inner)));
    }
    if (Array.isArray(value)) return value.map((item) => this.fill(item));
    if (!isFields(value)) return value;
    if (typeof value['$filled'] === 'number') return 'x'.repeat(value['$filled']);
    if (typeof value['$inSeconds'] === 'number') return this.now() + value['$inSeconds'] * 1_000;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [String(this.fill(key)), this.fill(item)]),
    );
  }

  private get(name: string): unknown {
    const value = at(this.values, name);
    if (value === undefined) throw new Error(`Nothing is known as {{${name}}}`);
    return value;
  }
}
