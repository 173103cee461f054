import type { Client } from '@roomwire/sdk';

/** Why the service closed a client's connection. */
export const reasonOfClose = (client: Client): Promise<unknown> =>
  new Promise((resolve) =>
    client.on('state', (state) => void (state.name === 'closed' && resolve(state.reason))),
  );

/** The code with which something was refused, or `none`. */
export const errorOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'none',
    (error: { error: string }) => error.error,
  );
