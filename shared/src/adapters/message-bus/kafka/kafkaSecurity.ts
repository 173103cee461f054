import { connect } from 'node:net';
import { connect as connectByTls } from 'node:tls';
import type { Socket } from 'node:net';
import type { SASLOptions } from 'kafkajs';

export const saslMechanisms = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;

/** How a client shows who it is, and to whom it talks. */
export interface KafkaSecurity {
  /** Undefined for plain TCP. `ca`: the PEM of the authorities to trust; those that Node trusts when it is undefined. */
  readonly tls?: { readonly ca: string | undefined };
  readonly sasl?: {
    readonly mechanism: (typeof saslMechanisms)[number];
    readonly username: string;
    readonly password: string;
  };
}

export type ConnectToBroker = (port: number, host: string, connected: () => void) => Socket;

/** How a connection to a broker is made. A name is checked against the broker's certificate; so is an address. */
export const connectToBroker = ({ tls }: KafkaSecurity): ConnectToBroker =>
  tls === undefined
    ? connect
    : (port, host, connected) =>
        connectByTls({ port, host, ...(tls.ca === undefined ? {} : { ca: tls.ca }) }, connected);

/** A copy: the library writes into it. */
export const saslOptions = ({ sasl }: KafkaSecurity): { readonly sasl?: SASLOptions } =>
  sasl === undefined ? {} : { sasl: { ...sasl } };
