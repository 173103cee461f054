import type { LiveConnections } from '@roomwire/shared/ports/liveConnections';
import type { Questions } from './questions.js';

interface OwnConnections {
  readonly gatewayId: string;
  /** Whether there was one of that id. */
  readonly closeConnection: (connectionId: string) => boolean;
}

/** `own`: of the process itself, where it is a gateway. */
export const connectionsOfGateways = (
  questions: Pick<Questions, 'askThis'>,
  own?: OwnConnections,
): LiveConnections => ({
  async close(gateway, connectionId) {
    if (gateway === own?.gatewayId) return own.closeConnection(connectionId);
    return (await questions.askThis(gateway, { kind: 'closeConnection', connectionId }))?.isClosed === true;
  },
});
