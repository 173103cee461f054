import type { Capabilities } from '@roomwire/shared/domain/capabilities';
import type { ConsoleSession } from '@roomwire/shared/domain/consoleAccess';

/** The part of a client token that a connection depends on. */
export interface LiveClientToken {
  /** Undefined for that of an observer. */
  readonly signingKeyId: string | undefined;
  /** `exp`, Unix seconds; undefined for a token that does not expire. */
  readonly expiresAt: number | undefined;
  /** `iat`, Unix seconds; undefined for a token that does not say when it was issued. */
  readonly issuedAt: number | undefined;
  /** Undefined where it narrows nothing. */
  readonly capabilities: Capabilities | undefined;
  /** Of an observer: the session that it stands for. */
  readonly consoleSession?: ConsoleSession;
}
