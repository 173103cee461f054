import type { Given } from '../world/given.js';
import type { Fields } from './match.js';

export interface Step {
  /** Of the table of steps. */
  readonly name: string;
  readonly fields: Fields;
  /** Where it stands, for people: `3` or `3.1`. */
  readonly place: string;
}

export interface Scenario {
  /** In words joined by hyphens; one of its own. */
  readonly name: string;
  /** What holds when it passes. */
  readonly title: string;
  /** Parts that the library must have. */
  readonly needs: readonly string[];
  /** Kinds of events that may come without being expected. */
  readonly ignores: readonly string[];
  readonly given: Given;
  readonly steps: readonly Step[];
}
