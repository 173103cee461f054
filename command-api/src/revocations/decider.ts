import {
  evolveTokenRevocation,
  tokenRevocationStream,
  type TokenRevocation,
  type TokenRevocationEvent,
  type TokenRevocationFields,
} from '@roomwire/shared/domain/tokenRevocation';
import { targetOf, type Decider } from '../handling/writeModel.js';

/** That of an actor on record is decided on the stream of the actor, which must exist. */
export type TokenRevocationCommand =
  | { readonly type: 'RevokeTokens'; readonly revocation: TokenRevocationFields }
  /** Ignored for one that has gone already, or is kept beyond this time; ISO 8601. */
  | { readonly type: 'ExpireRevocation'; readonly until: string };

type State = TokenRevocation | undefined;

export const tokenRevocationDecider: Decider<State, TokenRevocationCommand, TokenRevocationEvent> = {
  initial: () => undefined,
  evolve: evolveTokenRevocation,
  decide(command, made) {
    switch (command.type) {
      case 'RevokeTokens':
        return made ? [] : [{ type: 'TokensRevoked', data: command.revocation }];
      case 'ExpireRevocation': {
        if (made === undefined || made.keptUntil === null || command.until < made.keptUntil) return [];
        return [{ type: 'TokenRevocationExpired', data: { revocationId: made.revocationId } }];
      }
    }
  },
};

export const tokenRevocationTarget = targetOf(tokenRevocationStream, tokenRevocationDecider);
