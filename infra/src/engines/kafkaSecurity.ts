import { readFileSync } from 'node:fs';
import {
  saslMechanisms,
  type KafkaSecurity,
} from '@roomwire/shared/adapters/message-bus/kafka/kafkaSettings';
import type { VariableReader } from '../environment.js';

/** The brokers of a list with commas; undefined where one is no `host:port`. */
export const brokersOf = (list: string): readonly string[] | undefined => {
  const brokers = list.split(',').map((broker) => broker.trim());
  return brokers.every(isAddress) ? brokers : undefined;
};

const isAddress = (broker: string): boolean => /^[^\s:/]+:\d{1,5}$|^\[[\da-f:]+\]:\d{1,5}$/i.test(broker);

/** The variables with this prefix, read at the start, so that a file that is missing stops it. */
export const readKafkaSecurity = (
  read: VariableReader,
  problems: string[],
  prefix = 'ROOMWIRE_KAFKA_',
): KafkaSecurity => {
  const ca = readAuthorities(read, problems, `${prefix}CA_FILE`);
  const usesTls = read.flag(`${prefix}TLS`, ca !== undefined);
  const sasl = readSasl(read, problems, prefix);
  return { ...(usesTls ? { tls: { ca } } : {}), ...(sasl === undefined ? {} : { sasl }) };
};

const readAuthorities = (read: VariableReader, problems: string[], variable: string): string | undefined => {
  const file = read.text(variable);
  try {
    return file === undefined ? undefined : readFileSync(file, 'utf8');
  } catch (error) {
    problems.push(`${variable} cannot be read (${(error as NodeJS.ErrnoException).code})`);
    return undefined;
  }
};

const readSasl = (read: VariableReader, problems: string[], prefix: string): KafkaSecurity['sasl'] => {
  const mechanism = read.oneOf(`${prefix}SASL_MECHANISM`, undefined, saslMechanisms);
  const username = read.text(`${prefix}USERNAME`);
  const password = read.text(`${prefix}PASSWORD`);
  if (mechanism !== undefined && username !== undefined && password !== undefined)
    return { mechanism, username, password };
  if (mechanism !== undefined || username !== undefined || password !== undefined)
    problems.push(`${prefix}SASL_MECHANISM, ${prefix}USERNAME and ${prefix}PASSWORD need one another`);
  return undefined;
};
