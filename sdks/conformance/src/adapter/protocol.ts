import type { Fields } from '../scenario/match.js';

/** The first line of an adapter. */
export interface Hello {
  readonly language: string;
  readonly supports: readonly string[];
}

/** How a request ended; exactly one of them is there. */
export type Outcome = { readonly ok: unknown } | { readonly error: Fields };

export interface AdapterEvent extends Fields {
  readonly event: string;
  /** As the scenario calls it. */
  readonly client: string;
}

/** The library has called its token function. */
export interface TokenQuestion {
  readonly client: string;
  readonly refused: string | undefined;
}

/** What a scenario hears of an adapter. */
export interface Listener {
  onEvent(event: AdapterEvent): void;
  /** Resolves with the token, or rejects, as the token function is to do. */
  onQuestion(question: TokenQuestion): Promise<string>;
  /** Each line of the scenario, in either direction. */
  onLine(direction: 'to' | 'from', line: string): void;
}
