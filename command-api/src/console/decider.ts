import {
  consoleAccessStream,
  evolveConsoleAccess,
  type ConsoleAccess,
  type ConsoleAccessEvent,
} from '@roomwire/shared/domain/consoleAccess';
import { targetOf, type Decider } from '../handling/writeModel.js';

export interface ConsoleAccessCommand {
  readonly type: 'GiveConsoleAccess';
  readonly access: ConsoleAccess;
}

const consoleAccessDecider: Decider<ConsoleAccess | undefined, ConsoleAccessCommand, ConsoleAccessEvent> = {
  initial: () => undefined,
  evolve: evolveConsoleAccess,
  decide: ({ access }, given) => (given ? [] : [{ type: 'ConsoleAccessGiven', data: access }]),
};

export const consoleAccessTarget = targetOf(consoleAccessStream, consoleAccessDecider);
