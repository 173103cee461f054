import {
  consoleSignInStream,
  evolveConsoleSignIn,
  type ConsoleSignIn,
  type ConsoleSignInEvent,
} from '@roomwire/shared/domain/consoleSignIn';
import { Rejection } from '../handling/rejections.js';
import { targetOf, type Decider } from '../handling/writeModel.js';

export interface ConsoleSignInCommand {
  readonly type: 'SignIn';
  readonly signIn: ConsoleSignIn;
}

const consoleSignInDecider: Decider<ConsoleSignIn | undefined, ConsoleSignInCommand, ConsoleSignInEvent> = {
  initial: () => undefined,
  evolve: evolveConsoleSignIn,
  decide({ signIn }, used) {
    if (used) throw new Rejection('sign_in_code_invalid', {});
    return [{ type: 'ConsoleSignedIn', data: signIn }];
  },
};

export const consoleSignInTarget = targetOf(consoleSignInStream, consoleSignInDecider);
