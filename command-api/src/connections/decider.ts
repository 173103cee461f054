import {
  connectionStream,
  type ClosedConnectionFields,
  type ConnectionCloseEvent,
} from '@roomwire/shared/domain/closedConnection';
import { targetOf, type Decider } from '../handling/writeModel.js';

export interface ConnectionCommand {
  readonly type: 'CloseConnection';
  readonly connection: ClosedConnectionFields;
}

/** Whoever asks again is on record again. */
const connectionDecider: Decider<undefined, ConnectionCommand, ConnectionCloseEvent> = {
  initial: () => undefined,
  evolve: () => undefined,
  decide: ({ connection }) => [{ type: 'ConnectionCloseRequested', data: connection }],
};

export const connectionTarget = targetOf(connectionStream, connectionDecider);
