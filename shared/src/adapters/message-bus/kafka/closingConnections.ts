import { createRequire } from 'node:module';
import kafkajs from 'kafkajs';

interface Connection {
  readonly broker: string;
  readonly connectionStatus: string;
  failIfNotConnected: (this: Connection) => void;
}

const require = createRequire(import.meta.url);
const { prototype } = require('kafkajs/src/network/connection') as { readonly prototype: Connection };

/**
 * A connection of kafkajs 2.2.4 still takes requests while it is taking its leave, and then no longer looks how long
 * they take: such a request never settles, nor does anything that waits for it. Here it fails, and is sent anew.
 * Not public: pinned version, and a test that fails when it is no longer as it was.
 */
export const refuseOnClosingConnections = (): void => {
  prototype.failIfNotConnected = function (this: Connection): void {
    if (this.connectionStatus !== 'connected')
      throw new kafkajs.KafkaJSConnectionError('Not connected', { broker: this.broker });
  };
};
