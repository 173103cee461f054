import type { HappenedEvent } from './eventEnvelope.js';

/** A sign-in code of the console that has opened a session: it opens no other. */
export interface ConsoleSignIn {
  /** Of the code. */
  readonly codeHash: string;
  readonly subject: string;
  readonly organizationIds: readonly string[];
  readonly isOperator: boolean;
}

export interface ConsoleSignInEvent {
  readonly type: 'ConsoleSignedIn';
  readonly data: ConsoleSignIn;
}

/** A stream for each code, so that it is used once, however many processes are asked. */
export const consoleSignInStream = (codeHash: string): string => `consoleSignIn-${codeHash}`;

export const evolveConsoleSignIn = (
  _signIn: ConsoleSignIn | undefined,
  event: HappenedEvent<ConsoleSignInEvent>,
): ConsoleSignIn => event.data;
