import {
  evolveSessionRevocation,
  sessionRevocationStream,
  type SessionRevocation,
  type SessionRevocationEvent,
  type SessionRevocationFields,
} from '@roomwire/shared/domain/sessionRevocation';
import { targetOf, type Decider } from '../handling/writeModel.js';

export interface SessionRevocationCommand {
  readonly type: 'RevokeSessions';
  readonly revocation: SessionRevocationFields;
}

type State = SessionRevocation | undefined;

export const sessionRevocationDecider: Decider<State, SessionRevocationCommand, SessionRevocationEvent> = {
  initial: () => undefined,
  evolve: evolveSessionRevocation,
  decide: ({ revocation }, made) => (made ? [] : [{ type: 'SessionRevoked', data: revocation }]),
};

export const sessionRevocationTarget = targetOf(sessionRevocationStream, sessionRevocationDecider);
