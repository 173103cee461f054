import { Option, type Command } from 'commander';
import { connect, ConnectionError, type Client, type RoomwireError } from '@roomwire/sdk';
import { exitCodes, fail } from './fail.js';

export interface ConnectionOptions {
  readonly url: string;
  readonly token?: string;
}

/** The options of every command that talks to a gateway. */
export const addConnectionOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--url <url>', 'address of the gateway')
        .env('ROOMWIRE_URL')
        .default('ws://127.0.0.1:8080/ws'),
    )
    .addOption(new Option('--token <token>', 'access token of an actor').env('ROOMWIRE_TOKEN'));

/** A client with these options; ends the command when they make none. */
export const connectOrExit = ({ url, token }: ConnectionOptions, reconnect: boolean): Client => {
  if (token === undefined || token === '')
    return fail('Give an access token with --token or ROOMWIRE_TOKEN', exitCodes.misused);
  try {
    return connect({ url, token, ...(reconnect ? {} : { reconnect: false }) });
  } catch (error) {
    return fail((error as Error).message, exitCodes.misused);
  }
};

/** One line that names the error as the protocol does, and says what helps. */
export const failWith = (error: unknown): never => {
  const { error: name, message } = error as RoomwireError;
  const reason = error instanceof ConnectionError ? error.closeReason : undefined;
  return fail([reason, name, message].filter(Boolean).join(': '));
};
