import { Socket, type NetConnectOpts } from 'node:net';
import process from 'node:process';

/** Ports and those to which connections to them go instead: `9092=40001,27017=40002`. */
const ports = new Map(
  (process.env['ROOMWIRE_TEST_WAYS'] ?? '')
    .split(',')
    .map((pair) => pair.split('=').map(Number) as [number, number]),
);

type Connect = (this: Socket, ...args: unknown[]) => Socket;

const { connect } = Socket.prototype as unknown as { readonly connect: Connect };

/** Node hands the options over as they are, or as the first of a list. */
const redirect = (given: unknown): void => {
  const options = (Array.isArray(given) ? (given as unknown[])[0] : given) as Partial<NetConnectOpts> & {
    port?: number | string;
  };
  const port = ports.get(Number(options?.port));
  if (port !== undefined) options.port = port;
};

// Engines tell clients their addresses, so that it is not enough to give a process other ones.
(Socket.prototype as unknown as { connect: Connect }).connect = function (...args) {
  redirect(args[0]);
  return connect.apply(this, args);
};
